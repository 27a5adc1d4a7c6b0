/**
 * What happened to a kind of failure and to the lanes of its destination, from the newest entries of the audit.
 * Nothing there says that a canary was the probe of a halted lane. So the lane's moves are followed back in time
 * from its state now: what went out as a canary while it was halted was a probe. Its result is known by what came
 * after it: a dead letter that came back from it, or the lane's next move.
 */
import { hostOf } from "../../../job/message/destination-url.ts";
import { namesOfOrigin, toFailureName } from "../../../job/message/destination-names.ts";
import { defined } from "../../../job/message/defined.ts";
import { toEnteredAt } from "../../../job/message/parse-record.ts";
import {
  laneActs,
  ofFailureNote,
  type AuditAct,
  type AuditEntry,
  type AuditReader,
} from "../../../job/contracts/audit.ts";
import type { Ledger } from "../../../job/contracts/ledger.ts";
import type { LedgerView } from "../../../job/contracts/ledger-entries.ts";
import type { DlqId } from "../../../job/message/dead-letter.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { isAboutFailure, markActs } from "./marks.ts";

export interface TimeLineEntry extends AuditEntry {
  /** Dead letters that went out as probes of the lane by themselves; absent: another act. */
  readonly probed?: readonly ProbedLetter[];
  /** Of an order about letters of the kind: how many a person has discarded, or an apply ordered, since it began. */
  readonly count?: number;
  /** Of such an order: `at` of its last page, Unix ms. */
  readonly until?: number;
}

export interface ProbedLetter {
  readonly dlqId: string;
  readonly result: ProbeResult;
}

/**
 * `judged`: the lane went on, for what reason. `stayed-halted`: another probe followed, so it showed nothing good; `why`: the
 * person who asked for that one met it, or the ledger knows that it came back. `reset`: a person did not wait for it. `newest`: the lane itself knows. Times are Unix ms.
 */
export type ProbeResult =
  | { readonly kind: "came-back"; readonly as: string; readonly at: number }
  | { readonly kind: "judged"; readonly at: number; readonly why: string }
  | { readonly kind: "stayed-halted"; readonly why?: string }
  | { readonly kind: "reset" | "newest" };

export interface TimeLine {
  readonly entries: readonly TimeLineEntry[];
  /** Unix ms: how far back was read; null: there is nothing older. */
  readonly readTo: number | null;
}

type KindOfSource = Pick<FailureView, "id" | "origin" | "source" | "firstMetAt">;

export const probeFailedAgain = "a probe failed again";

/** Of 100 dead letters a redrive writes three: so many are some 300,000 sends. Measured: 0.4 s on a busy machine. */
const maxSkimmed = 10_000;
const maxRead = 2_000;
const maxEntries = 50;
/** A lane may have halted for another kind before this one was met. */
const beforeFirstMetMs = 3_600_000;

const acts: ReadonlySet<AuditAct> = new Set([...laneActs, "pause", "resume", "drop", "apply", ...markActs]);

/** Reads a bounded part of the audit. `halted`: drains whose lane is halted now. Throws `redis-unavailable`. */
export async function readTimeLine(
  reader: AuditReader,
  ledger: Pick<Ledger, "peek">,
  failure: KindOfSource,
  halted: readonly string[],
): Promise<TimeLine> {
  const line = await readEntries(reader, failure, halted);
  const open = line.entries
    .flatMap(({ probed = [] }) => probed)
    .filter(({ result }) => result.kind === "stayed-halted" && result.why === undefined)
    .slice(0, maxPeeked);
  if (open.length === 0) return line;
  const { views } = await ledger.peek(open.map(({ dlqId }) => dlqId as DlqId));
  const back = new Set(open.filter((_, at) => isBack(views[at])));
  const told = (one: ProbedLetter): ProbedLetter =>
    back.has(one) ? { ...one, result: { kind: "stayed-halted", why: probeFailedAgain } } : one;
  const entries = line.entries.map((one) => (one.probed ? { ...one, probed: one.probed.map(told) } : one));
  return { ...line, entries };
}

const maxPeeked = 100;

function isBack(view: LedgerView | undefined): boolean {
  return (view?.state === "published" || view?.state === "gone") && view.cameBack === true;
}

async function readEntries(
  reader: AuditReader,
  failure: KindOfSource,
  halted: readonly string[],
): Promise<TimeLine> {
  const isAbout = toTest(failure);
  const probes = createProbeFinder(failure, halted);
  const entries: TimeLineEntry[] = [];
  // One that was begun a second time is in the audit twice. Another apply orders it anew.
  const told = new Set<string>();
  let [read, skimmed] = [0, 0];
  const skims = (act: AuditAct): boolean => !acts.has(act) && !probes.asks(act);
  const since = failure.firstMetAt - beforeFirstMetMs;
  for await (const entry of reader.read({ order: "newest-first", since, skims })) {
    const isFull = read === maxRead || skimmed === maxSkimmed || entries.length === maxEntries;
    if (isFull) return { entries, readTo: entry.at };
    const { act, orderedAt, drain, by, why } = entry;
    if (skims(act)) {
      skimmed += 1;
      continue;
    }
    read += 1;
    const ids = orderedIn(entry, failure).map((id) => JSON.stringify([act, orderedAt, drain, by, why, id]));
    const news = ids.filter((id) => !told.has(id));
    const count = news.length;
    for (const id of news) told.add(id);
    const place = entries.findLastIndex((one) => isOfOneOrder(one, entry));
    const newer = entries[place];
    if (count > 0 && newer !== undefined) {
      const { until = newer.at, count: others = 0 } = newer;
      entries[place] = { ...entry, ...defined({ why: newer.why }), until, count: others + count };
      continue;
    }
    const probed = probes.of(entry);
    if (count > 0) entries.push({ ...entry, count });
    else if (probed.length > 0) entries.push({ ...entry, probed });
    else if (isAbout(entry)) entries.push(entry);
  }
  return { entries, readTo: null };
}

function orderedIn(
  { act, source, records }: AuditEntry,
  of: Pick<FailureView, "id" | "source">,
): readonly string[] {
  if ((act !== "drop" && act !== "apply") || source !== of.source) return [];
  const note = `${ofFailureNote}${of.id}`;
  return records.flatMap(({ dlqId, notes = [] }) => (notes.includes(note) ? [dlqId] : []));
}

/** Its pages, and how it ended. An older build did not tell orders apart, but by their reason. */
function isOfOneOrder(one: AuditEntry, other: AuditEntry): boolean {
  const names = ["act", "orderedAt", "drain", "by", ...(one.orderedAt ? [] : ["why" as const])] as const;
  return names.every((name) => one[name] === other[name]);
}

const actsOnComeBacks: ReadonlySet<AuditAct> = new Set(["republish", "park", "drop"]);

function createProbeFinder(
  { origin, source }: Pick<FailureView, "origin" | "source">,
  haltedNow: readonly string[],
) {
  const halted = new Set(haltedNow);
  /** By drain, what the lane did after the entries that are read next; none: nothing yet. */
  const next = new Map<string, ProbeResult>();
  /** By dead letter, which came back from it. */
  const comeBacks = new Map<string, string>();
  const own = hostOf(origin);

  const resultOf = (dlqId: string, drain: string): ProbeResult => {
    const as = comeBacks.get(dlqId);
    const at = as === undefined ? null : toEnteredAt(as);
    if (as !== undefined && at !== null) return { kind: "came-back", as, at };
    return next.get(drain) ?? { kind: "newest" };
  };

  return {
    /** What goes out while no lane is halted is no probe, nor did it come back from one that failed. */
    asks: (act: AuditAct): boolean => actsOnComeBacks.has(act) && halted.size > 0,
    of(entry: AuditEntry): readonly ProbedLetter[] {
      const { act, drain, lane, records, source: of } = entry;
      if (of !== source || drain === null) return [];
      if (lane?.origin === origin) {
        if (lane.from === "halted") halted.add(drain);
        else halted.delete(drain);
        const result = toResult(entry);
        if (result !== null) next.set(drain, result);
      }
      const ofHost = records.filter(({ host }) => host === own);
      for (const { parent, dlqId } of ofHost) if (parent !== undefined) comeBacks.set(parent, dlqId);
      if (act !== "republish" || !halted.has(drain)) return [];
      const probed = ofHost
        .filter(({ notes = [] }) => notes.includes("canary"))
        .map(({ dlqId }) => ({ dlqId, result: resultOf(dlqId, drain) }));
      if (probed.length > 0) next.set(drain, { kind: "stayed-halted" });
      return probed;
    },
  };
}

function toResult({ act, at, lane }: AuditEntry): ProbeResult | null {
  if (act === "lane-probe" && lane?.why.startsWith(probeFailedAgain) === true) {
    return { kind: "stayed-halted", why: lane.why };
  }
  if (lane === undefined || lane.from === lane.to) return null;
  return act === "lane-reset" ? { kind: "reset" } : { kind: "judged", at, why: lane.why };
}

function toTest({ id, origin, source }: Pick<FailureView, "id" | "origin" | "source">) {
  const names = [...namesOfOrigin(origin), toFailureName(id)];
  return (entry: AuditEntry): boolean => {
    if (entry.source !== source || !acts.has(entry.act) || entry.act === "drop") return false;
    if (entry.lane !== undefined) return entry.lane.origin === origin;
    if (entry.act === "pause" || entry.act === "resume" || entry.act === "apply") {
      const isOfAll = entry.host === undefined && entry.act !== "apply";
      return isOfAll || names.some((name) => name === entry.host);
    }
    return isAboutFailure(entry, id);
  };
}
