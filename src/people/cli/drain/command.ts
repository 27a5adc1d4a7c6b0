import type { Command } from "commander";
import { addressOf, readHostPauses, readPause } from "../../operations/drain-pause-and-address.ts";
import { systemClock } from "../../../system-world.ts";
import { isRedriverError } from "../../../job/contracts/errors.ts";
import type { DrainFacts } from "../../../job/contracts/passes.ts";
import { emptyTally, type Tally, type PassCounts } from "../../../job/contracts/tally.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { requireRedis, type DrainRuntime, drainInProcess, type Core } from "../../../job/door.ts";
import { chooseDrains, requireNamesOrAll } from "../../operations/choose-drains.ts";
import type { Register, Io } from "../io.ts";
import { toExit, worseExit } from "../exit-of-error.ts";
import { counted, toAge } from "../../operations/phrases.ts";
import { hasConsent } from "../input/questions.ts";
import { currentUser } from "../input/option-values.ts";
import { createStop, type Stop } from "../with-core.ts";
import { loadAll } from "../load-config.ts";
import { toHostPausesNote, printResult, printSaid } from "../output/print.ts";
import { createProgressLine } from "../output/progress.ts";
import { withActingCore } from "../with-acting-core.ts";
import { toRows } from "../output/fields-text.ts";
import { toTable } from "../output/table.ts";
import type { RedriverEvent } from "../../../job/contracts/events.ts";

type DrainFlags = Readonly<{ all?: boolean; yes?: boolean; json?: boolean }>;

export const registerDrain: Register = (program, { io, exitWith }) => {
  program
    .command("drain")
    .description("one pass in the foreground; obeys each drain's mode")
    .argument("[names...]", "drains of the document")
    .option("--all", "every drain of the document")
    .option("--yes", "do not ask")
    .option("--json", "print the summary as JSON")
    .action(async (names: readonly string[], flags: DrainFlags, command: Command) => {
      requireNamesOrAll(names, flags.all === true);
      const reasons = createReasonCount();
      const options = { by: currentUser(), observers: [reasons] };
      await withActingCore(io, command, loadAll(command, io), options, async (core, teardown) => {
        const drains = chooseDrains(core, names);
        await requireRedis(core);
        if (!(await hasConsent(io, flags.yes, () => toQuestion(core, drains)))) {
          io.err("nothing was done\n");
          exitWith(3);
          return;
        }
        const stop = createStop(io, teardown);
        exitWith(await drainAll(core, drains, reasons, stop, io, flags.json === true));
      });
    });
};

async function toQuestion(core: Core, drains: readonly DrainRuntime[]): Promise<string> {
  const lines = await Promise.all(
    drains.map(async (drain) => {
      const { config, source } = drain;
      const facts = await source.passes.facts(config.name);
      const count = facts === null ? "not counted yet" : toCountText(facts);
      return `  ${config.name} (${config.mode}) on ${addressOf(core, drain).host}: ${count}`;
    }),
  );
  return `One pass over:\n${lines.join("\n")}\nGo on?`;
}

function toCountText({ due, held, parked, lastSuccessAt: at }: DrainFacts): string {
  const when = at === null ? "in a pass that did not end" : `${toAge(at, systemClock.now())} ago`;
  return `${due} due, ${held} held, ${parked} parked when last counted, ${when}`;
}

async function drainAll(
  core: Core,
  drains: readonly DrainRuntime[],
  reasons: ReasonCount,
  stop: Stop,
  io: Io,
  json: boolean,
): Promise<number> {
  const lines: PassLine[] = [];
  let exitCode = 0;
  for (const drain of drains) {
    const line = await drainOne(core, drain, stop, io);
    lines.push(line);
    exitCode = worseExit(exitCode, line.exitCode);
    if (!stop.stopping.aborted) continue;
    if (line.outcome === "stopped") {
      const { listed, republished, deleted } = line.tally ?? emptyTally;
      io.err(
        `${line.drain}: stopped after ${counted(listed, "record")}: ${republished} sent again, ${deleted} deleted; the next pass goes on\n`,
      );
    }
    const others = drains.slice(lines.length).map(({ config }) => config.name);
    if (others.length > 0) {
      exitCode = worseExit(exitCode, 3);
      io.err(`not begun: ${others.join(", ")}\n`);
    }
    break;
  }
  const results = lines.map((line) => ({ ...line, decisions: reasons.of(line.drain) }));
  printResult(io, json, results, () => toSummary(io.columns, results));
  return exitCode;
}

async function reportPause(core: Core, drain: DrainRuntime, io: Io): Promise<void> {
  const { name, paused } = drain.config;
  const pause = await readPause(core, drain);
  const report = (who: string, fix: string): void =>
    printSaid(io, `${name}: paused by ${who}; nothing will be sent again${fix}`);
  if (paused) report("the drains document", "");
  if (pause !== undefined) report(`${pause.by}: ${pause.reason}`, " (redriver resume)");
  io.err(toHostPausesNote(name, await readHostPauses(core, drain)));
}

async function drainOne(core: Core, drain: DrainRuntime, stop: Stop, io: Io): Promise<PassLine> {
  const { name, mode } = drain.config;
  const { passes, windows } = core.settings;
  const progress = createProgressLine(io);
  let latest: Tally | null = null;
  const startedAt = systemClock.monotonic();
  try {
    await reportPause(core, drain, io);
    const result = await drainInProcess(
      drain,
      { ...passes, alwaysFull: true, windowsAtOnce: windows.concurrency },
      stop,
      (tally) => {
        latest = tally;
        const { listed, republished, deleted, held, parked } = tally;
        progress.show(
          `${name}: ${listed} listed, ${republished} sent again, ${deleted} deleted, ${held} held, ${parked} parked`,
        );
      },
      (records, waitMs) => {
        const text = `${counted(records, "record")} held until what was sent has stayed away`;
        io.err(`${name}: ${text}; the next listing check is in ${formatDuration(waitMs)}\n`);
      },
    );
    if (result.kind === "busy") {
      const open = (await drain.source.passes.facts(name))?.openPass;
      const since = open ? ` since ${new Date(open.startedAt).toISOString()}` : "";
      const wait = formatDuration(passes.abandonAfterMs);
      io.err(
        `${name}: a pass of this drain is open${since}; nothing was done. Any daemon goes on with a pass that a daemon left. Without progress for ${wait} it is taken for abandoned (passes.abandonAfter)\n`,
      );
      return { drain: name, mode, outcome: "busy", tally: null, durationMs: 0, exitCode: 3 };
    }
    const { outcome, tally, durationMs } = result;
    // Due and left: in live mode that is work that could not be done now.
    const left = mode === "live" && tally.due + tally.inDoubt > 0;
    // Its last page was in work, which ends in order: what it still waited for then is left.
    const isStopped = outcome === "complete" && left && stop.stopping.aborted;
    if (outcome === "taken-over") io.err(`${name}: a daemon has taken this pass over, and goes on with it\n`);
    const exitCode = outcome === "partial" ? 1 : left || outcome === "taken-over" ? 3 : 0;
    return { drain: name, mode, outcome: isStopped ? "stopped" : outcome, tally, durationMs, exitCode };
  } catch (error) {
    const { exitCode, message } = toExit(error);
    const isStopped = stop.stopping.aborted && isRedriverError(error) && error.code === "stopped";
    if (!isStopped) io.err(`${name}: ${message}\n`);
    const durationMs = Math.round(systemClock.monotonic() - startedAt);
    return {
      drain: name,
      mode,
      outcome: exitCode === 3 ? "stopped" : "failed",
      tally: latest,
      durationMs,
      exitCode,
    };
  } finally {
    progress.end();
  }
}

interface PassLine {
  readonly drain: string;
  readonly mode: "plan" | "live";
  readonly outcome: "complete" | "partial" | "taken-over" | "busy" | "stopped" | "failed";
  readonly tally: Tally | null;
  readonly durationMs: number;
  readonly exitCode: number;
}

function toSummary(
  columns: number,
  lines: readonly (PassLine & { readonly decisions: readonly DecisionCount[] })[],
): string {
  const ofTally =
    (name: keyof PassCounts) =>
    ({ tally }: PassLine): number =>
      tally?.[name] ?? 0;
  const passes = toTable(columns, lines, {
    drain: ({ drain }) => drain,
    mode: ({ mode }) => mode,
    outcome: ({ outcome }) => outcome,
    listed: ofTally("listed"),
    due: ofTally("due"),
    "sent again": ofTally("republished"),
    deleted: ofTally("deleted"),
    held: ofTally("held"),
    parked: ofTally("parked"),
    "in doubt": ofTally("inDoubt"),
    seconds: ({ durationMs }) => Number((durationMs / 1_000).toFixed(1)),
  });
  const rows = lines.flatMap(({ drain, decisions }) => decisions.map((one) => ({ drain, ...one })));
  return rows.length === 0 ? passes : `${passes}\n${toRows(columns, rows)}`;
}

type DecisionCount = ReturnType<ReasonCount["of"]>[number];
type ReasonCount = ReturnType<typeof createReasonCount>;

/**
 * Counts the decisions of a command's passes, by drain, decision, reason and rule. The next pass lists again
 * what a pass left in the queue, so of that only the last pass is counted, and a record once.
 */
function createReasonCount() {
  type Count = { drain: string; decision: string; reason: string; rule: string | null; count: number };
  const counts = new Map<string, Count>();
  return {
    emit(event: RedriverEvent): void {
      if (event.type === "pass:opened") {
        for (const [key, { drain, decision }] of counts) {
          if (drain === event.drain && (decision === "hold" || decision === "park")) counts.delete(key);
        }
      }
      if (event.type !== "record:decided") return;
      const { drain, records } = event;
      for (const {
        decision: { then: decision, reason, rule },
      } of records) {
        const key = JSON.stringify([drain, decision, reason, rule]);
        const known = counts.get(key) ?? { drain, decision, reason, rule, count: 0 };
        known.count += 1;
        counts.set(key, known);
      }
    },
    of: (wanted: string) =>
      [...counts.values()]
        .toSorted((one, other) => other.count - one.count)
        .flatMap(({ drain, ...count }) => (drain === wanted ? [count] : [])),
  };
}
