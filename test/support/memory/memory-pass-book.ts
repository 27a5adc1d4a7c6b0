import type { Clock } from "../../../src/ports/clock.ts";
import type { DrainName } from "../../../src/ports/ids.ts";
import {
  isRecalled,
  maxLeftShown,
  type CloseVerdict,
  type DrainFacts,
  type OpenPass,
  type OpenRequest,
  type Pass,
  type PassBook,
  type SoFar,
  type Tally,
  type Window,
} from "../../../src/ports/passes.ts";
import { addTallies, earlier, noReasons, sumSoFar } from "../../../src/ports/tally.ts";
import { carryReasons } from "./carry-reasons.ts";
import { minuteMs, toDueRanges } from "../../../src/store/passes/due-minutes.ts";

interface OpenRow {
  readonly pass: Pass;
  readonly abandoned: Pass | null;
  readonly forced: boolean;
  readonly windows: Map<string, Window | "ended">;
  /** Minutes taken from `due`, with when they were due. */
  readonly taken: Map<number, number>;
  /** Windows that were called back into it so far. */
  recalled: number;
  progressAt: number;
  failed: boolean;
  tally: Tally | null;
  /** Of the windows that are worked now. */
  readonly soFar: Map<string, SoFar>;
}

interface DrainRow {
  open: OpenRow | null;
  forced: boolean;
  watermark: number | null;
  /** The last complete full pass. */
  full: Pass | null;
  readonly due: Map<number, number>;
  last: { readonly passId: string; readonly windowId: string; readonly verdict: CloseVerdict } | null;
  facts: Omit<DrainFacts, "openPass">;
}

const noFacts: Omit<DrainFacts, "openPass"> = {
  due: 0,
  held: 0,
  parked: 0,
  inDoubt: 0,
  exact: false,
  reasons: noReasons,
  oldestRecordAt: null,
  lastSuccessAt: null,
  lastFullAt: null,
  lastOutcome: null,
};

/** Passes in this process: the reference that the Redis one is held against. */
export function createMemoryPassBook(clock: Pick<Clock, "now">): PassBook {
  const rows = new Map<DrainName, DrainRow>();
  const rowOf = (drain: DrainName): DrainRow => {
    const row = rows.get(drain) ?? {
      open: null,
      forced: false,
      watermark: null,
      full: null,
      due: new Map<number, number>(),
      last: null,
      facts: noFacts,
    };
    rows.set(drain, row);
    return row;
  };

  return {
    open: (request) => {
      const row = rowOf(request.drain);
      const { open } = row;
      if (open?.pass.passId === request.passId) return Promise.resolve(toOpened(open));
      const idleMs = open === null ? 0 : clock.now() - open.progressAt;
      if (open !== null && idleMs > -1_000 && idleMs <= request.abandonAfterMs) {
        const { windows } = toOpened(open);
        return Promise.resolve({ kind: "busy", passId: open.pass.passId, windows, abandoned: null });
      }
      if (open !== null) {
        giveBack(row, open);
        row.facts = { ...row.facts, lastOutcome: "abandoned" };
      }
      row.open = toOpenRow(row, request, clock.now(), open?.pass ?? null);
      row.forced = false;
      return Promise.resolve(toOpened(row.open));
    },

    takeWindow: (drain, passId, windowId) => {
      const { open } = rowOf(drain);
      const window = open?.pass.passId === passId ? open.windows.get(windowId) : undefined;
      if (open === null || window === undefined || window === "ended") return Promise.resolve(null);
      open.progressAt = clock.now();
      return Promise.resolve({ pass: open.pass, window });
    },

    progress: (drain, passId, windowId, dueLater, soFar) => {
      const row = rowOf(drain);
      for (const { enteredAt, dueAt } of dueLater) {
        addDue(row, Math.floor(enteredAt / minuteMs) * minuteMs, dueAt);
      }
      const { open } = row;
      if (open?.pass.passId === passId) {
        open.progressAt = clock.now();
        const window = open.windows.get(windowId);
        if (window !== undefined && window !== "ended") open.soFar.set(windowId, soFar);
      }
      return Promise.resolve();
    },

    endWindow: (drain, passId, windowId, end, tally) => {
      const row = rowOf(drain);
      const { open, last } = row;
      if (open === null || open.pass.passId !== passId) {
        const isRepeat = last?.passId === passId && last.windowId === windowId;
        return Promise.resolve(isRepeat ? last.verdict : { kind: "stale" });
      }
      const window = open.windows.get(windowId);
      if (window === undefined) return Promise.resolve({ kind: "stale" });
      if (window === "ended") return Promise.resolve(passOpen(open));
      open.windows.set(windowId, "ended");
      open.soFar.delete(windowId);
      for (const part of end.kind === "done" ? end.split : []) {
        if (!open.windows.has(part.windowId)) open.windows.set(part.windowId, part);
      }
      if (end.kind === "failed") open.failed = true;
      open.progressAt = clock.now();
      const counted = isRecalled(windowId) ? withoutStands(tally) : tally;
      open.tally = open.tally === null ? counted : addTallies(open.tally, counted);
      if (windowsLeft(open).length > 0) return Promise.resolve(passOpen(open));
      const verdict = close(row, open, open.tally, clock.now());
      row.last = { passId, windowId, verdict };
      return Promise.resolve(verdict);
    },

    facts: (drain) => {
      const row = rows.get(drain);
      if (row === undefined) return Promise.resolve(null);
      return Promise.resolve({ ...row.facts, openPass: toOpenPass(row.open) });
    },

    forceFull: (drain) => {
      rowOf(drain).forced = true;
      return Promise.resolve();
    },

    recall: (drain, minutes) => {
      const row = rowOf(drain);
      for (const minute of minutes) {
        if (row.open !== null && isWaiting(row.open, minute)) continue;
        if (row.open !== null && minute <= row.open.pass.to) addRecalled(row.open, minute);
        else addDue(row, minute, 0);
      }
      return Promise.resolve();
    },
  };
}

function toOpenRow(row: DrainRow, request: OpenRequest, now: number, abandoned: Pass | null): OpenRow {
  const { passId, drain, source, mode, documentHash, to } = request;
  const { full, watermark } = row;
  const isFull =
    row.forced ||
    !request.mayBeNew ||
    full === null ||
    watermark === null ||
    now - full.startedAt >= request.fullEveryMs ||
    full.startedAt > now + 1_000 ||
    full.documentHash !== documentHash ||
    full.mode !== mode;
  const from = isFull ? request.fullFrom : Math.min(to, watermark - request.overlapMs);
  const taken = new Map([...row.due].filter(([, dueAt]) => dueAt <= to));
  for (const minute of taken.keys()) row.due.delete(minute);
  const minutes = [...taken.keys()].toSorted((a, b) => a - b);
  const ranges = [{ from, to }, ...(isFull ? [] : toDueRanges(minutes, from))];
  const windows = ranges.map((range, i): Window => ({ ...range, windowId: `w${i + 1}`, depth: 0 }));
  return {
    pass: {
      passId,
      drain,
      source,
      kind: isFull ? "full" : "new",
      mode,
      documentHash,
      from,
      to,
      startedAt: now,
    },
    abandoned,
    forced: row.forced,
    windows: new Map(windows.map((window) => [window.windowId, window])),
    taken,
    recalled: 0,
    progressAt: now,
    failed: false,
    tally: null,
    soFar: new Map(),
  };
}

function toOpened(open: OpenRow) {
  const { pass, abandoned } = open;
  return { kind: "opened" as const, pass, windows: windowsLeft(open), abandoned };
}

function toOpenPass(open: OpenRow | null): OpenPass | null {
  if (open === null) return null;
  const { pass, progressAt, tally, soFar } = open;
  return {
    passId: pass.passId,
    startedAt: pass.startedAt,
    progressAt,
    windowsLeft: windowsLeft(open).length,
    soFar: sumSoFar([...(tally === null ? [] : [tally]), ...soFar.values()]),
  };
}

function passOpen(open: OpenRow): CloseVerdict {
  return { kind: "pass-open", left: windowsLeft(open).slice(0, maxLeftShown) };
}

/** What was called back first, then the oldest. */
function windowsLeft({ windows }: OpenRow): readonly Window[] {
  return [...windows.values()]
    .filter((window) => window !== "ended")
    .toSorted(
      (a, b) =>
        Number(isRecalled(b.windowId)) - Number(isRecalled(a.windowId)) ||
        a.from - b.from ||
        (a.windowId < b.windowId ? -1 : 1),
    );
}

/** It was called back before, and is still to be listed. */
function isWaiting(open: OpenRow, minute: number): boolean {
  return windowsLeft(open).some(({ windowId, from }) => isRecalled(windowId) && from === minute);
}

function addRecalled(open: OpenRow, minute: number): void {
  open.recalled += 1;
  const windowId = `r${open.recalled}`;
  const to = Math.min(minute + minuteMs - 1, open.pass.to);
  open.windows.set(windowId, { windowId, from: minute, to, depth: 0 });
  open.taken.set(minute, 0);
}

/** Another window of the pass lists the same records. */
function withoutStands(tally: Tally): Tally {
  return { ...tally, due: 0, held: 0, parked: 0, inDoubt: 0, reasons: noReasons };
}

function close(row: DrainRow, open: OpenRow, tally: Tally, now: number): CloseVerdict {
  const { pass } = open;
  const { facts } = row;
  const isWhole = !open.failed && tally.passedOver === 0;
  const outcome = isWhole ? "complete" : "partial";
  row.open = null;
  if (open.failed) {
    giveBack(row, open);
    row.facts = { ...facts, exact: false, lastOutcome: outcome };
  } else {
    row.watermark = pass.to;
    const { due, held, parked, inDoubt, reasons, oldestRecordAt, republished } = tally;
    if (pass.kind === "full") {
      row.full = pass;
      row.facts = {
        due,
        held,
        parked,
        inDoubt,
        reasons,
        oldestRecordAt,
        // What was called back may have left since it was counted.
        exact: isWhole && open.recalled === 0,
        lastSuccessAt: now,
        lastFullAt: now,
        lastOutcome: outcome,
      };
    } else {
      const stillHeld = Math.max(held, facts.held - republished);
      const stillParked = Math.max(parked, facts.parked);
      row.facts = {
        ...facts,
        due: pass.mode === "plan" ? Math.max(facts.due, due) : due,
        held: stillHeld,
        parked: stillParked,
        inDoubt: Math.max(inDoubt, facts.inDoubt),
        reasons: {
          due: reasons.due,
          held: carryReasons(facts.reasons.held, reasons.held, stillHeld),
          parked: carryReasons(facts.reasons.parked, reasons.parked, stillParked),
        },
        oldestRecordAt: earlier(facts.oldestRecordAt, oldestRecordAt),
        exact: false,
        lastSuccessAt: now,
        lastOutcome: outcome,
      };
    }
  }
  return { kind: "pass-closed", pass, outcome, tally, durationMs: now - pass.startedAt };
}

/** The pass ends without completing: what it took is due again, and a forced full pass is still owed. */
function giveBack(row: DrainRow, open: OpenRow): void {
  for (const [minute, dueAt] of open.taken) addDue(row, minute, dueAt);
  if (open.forced) row.forced = true;
}

function addDue(row: DrainRow, minute: number, dueAt: number): void {
  row.due.set(minute, Math.min(dueAt, row.due.get(minute) ?? dueAt));
}
