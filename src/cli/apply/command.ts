import type { Command } from "commander";
import type { Core } from "../../compose/build-core.ts";
import { requireRedis } from "../../compose/open-core.ts";
import { addressOf, readHostPauses, readPause } from "../../compose/drain-pause-and-address.ts";
import { RedriverError } from "../../ports/errors.ts";
import { applyPlan, type Applied } from "../../redrive/plan/apply.ts";
import type { PlannedDrain } from "../../redrive/plan/plan-file.ts";
import { checkPlan, type PlanCheck } from "../../redrive/plan/check-plan.ts";
import { createSelection, type PlanSelection } from "../../redrive/plan/plan-selection.ts";
import { addSkips, noSkips, skippedOf } from "../../redrive/plan/skipped-by-apply.ts";
import type { DrainRuntime } from "../../redrive/runtime.ts";
import { toLanesText } from "../plan/lanes-text.ts";
import type { CommandContext, Register } from "../command-context.ts";
import { toExit, worseExit } from "../exit-of-error.ts";
import { hasConsent } from "../input/consent.ts";
import { currentUser } from "../input/current-user.ts";
import { createStop, type Stop } from "../input/stop-on-signals.ts";
import type { Io } from "../io.ts";
import { loadAll } from "../load-config.ts";
import { readPlanFile } from "../plan/file.ts";
import { printResult } from "../output/print.ts";
import { toCounts } from "../../operations/phrases.ts";
import { toHostPausesNote } from "../output/host-pauses-note.ts";
import { createProgressLine } from "../output/progress.ts";
import { terminalColumns } from "../output/wrap.ts";
import { withActingCore } from "../with-acting-core.ts";
import {
  toApplyJson,
  toApplyText,
  toQuestion,
  toSkipsText,
  toSkipText,
  toWaitText,
  type ApplyLine,
} from "./text.ts";

type ApplyFlags = Readonly<{ reason?: string; by?: string; yes?: boolean; json?: boolean }>;

/** A wait that is shown at once, also without a terminal. */
const longWaitMs = 5_000;
/** A plan is refused if more than this part of it has changed. */
const maxDrift = 0.05;
const shownDrift = 3;

export const registerApply: Register = (program, context) => {
  program
    .command("apply")
    .description("act on exactly what a plan selected, also in plan mode; obeys pauses and limits")
    .argument("<plan>", "a file of `redriver plan --out`; - is stdin")
    .option("--reason <text>", "why, for the audit; required without a terminal")
    .option("--by <name>", "who, for the audit; required without a terminal, else the current user")
    .option("--yes", "do not ask")
    .option("--json", "print the summary as JSON")
    .action((file: string, flags: ApplyFlags, command: Command) => apply(file, flags, command, context));
};

/** A drain's part of a plan, and the drain as it is now. */
interface Part extends Pick<ApplyLine, "drain" | "host"> {
  readonly runtime: DrainRuntime;
  readonly range: PlannedDrain;
}

type CheckedPart = Part & Pick<ApplyLine, "check">;

async function apply(
  file: string,
  flags: ApplyFlags,
  command: Command,
  { io, exitWith }: CommandContext,
): Promise<void> {
  if (!io.isTerminal && [flags.reason, flags.by].some((text = "") => text.trim() === "")) {
    throw new RedriverError("command-misused", "without a terminal --reason and --by are required");
  }
  const loaded = loadAll(command, io);
  const selection = createSelection();
  const head = await readPlanFile(file, selection.add);
  const by = flags.by ?? currentUser();
  await withActingCore(io, command, loaded, { by }, async (core, teardown) => {
    const stop = createStop(io, teardown);
    const parts = head.drains.map((planned) => toPart(core, planned));
    await requireRedis(core.redis);
    const checked = await checkAll(parts, selection, stop, io);
    refuseDrifted(checked.map(({ check }) => check));
    if (!(await hasConsent(io, flags.yes, () => toQuestion(head.createdAt, checked)))) {
      io.err("nothing was done\n");
      exitWith(3);
      return;
    }
    const lines: ApplyLine[] = [];
    for (const part of checked) {
      lines.push({ ...part, applied: await act(core, part, flags.reason, stop, io) });
    }
    printResult(io, flags.json, lines.map(toApplyJson), () => toApplyText(lines));
    exitWith(lines.reduce((code, line) => worseExit(code, report(line, io)), 0));
  });
}

/** A drain of today's document. Its rules may have changed: each record is decided again. */
function toPart(core: Core, planned: PlannedDrain): Part {
  const { drain, source } = planned;
  const runtime = core.drains.get(drain);
  if (runtime === undefined) throw invalid(`is for drain ${drain}, which the document has not`);
  const { id } = runtime.source.config;
  if (id !== source) throw invalid(`is for drain ${drain} of source ${source}, which is of ${id} now`);
  const { host, hash } = addressOf(core, runtime);
  if (hash !== planned.address) throw invalid(`was made for another address of source ${id} than ${host}`);
  return { drain, host, runtime, range: planned };
}

function invalid(what: string): RedriverError {
  return new RedriverError("plan-invalid", `the plan ${what}`);
}

async function checkAll(
  parts: readonly Part[],
  selection: PlanSelection,
  stop: Stop,
  io: Io,
): Promise<readonly CheckedPart[]> {
  const progress = createProgressLine(io);
  const checked: CheckedPart[] = [];
  try {
    for (const part of parts) {
      const { drain, runtime, range } = part;
      const orders = selection.of(range.drain);
      await runtime.source.bind();
      const onPage = (count: number): void =>
        progress.show(`${drain}: ${count} of ${orders.size} found and decided again`);
      checked.push({ ...part, check: await checkPlan(runtime, range, orders, stop, onPage) });
    }
  } catch (error) {
    if (!stop.stopping.aborted) throw error;
    throw new RedriverError("stopped", "stopped before anything was done", { cause: error });
  } finally {
    progress.end();
  }
  return checked;
}

function refuseDrifted(checks: readonly PlanCheck[]): void {
  const skips = checks.reduce((sum, one) => addSkips(sum, one.skips), noSkips);
  const planned = checks.reduce((sum, one) => sum + one.planned, 0);
  const drift = skippedOf(skips);
  if (drift <= planned * maxDrift) return;
  const { gone, changed, otherwise, examples } = skips;
  const shown = examples.slice(0, shownDrift).map((skip) => `\n  ${toSkipText(skip)}`);
  const such = shown.length === 0 ? "" : `, such as${shown.join("")}`;
  throw new RedriverError(
    "plan-drifted",
    `${drift} of ${planned} are not as planned (${gone} gone, ${changed} changed, ${otherwise} decided otherwise now), more than ${maxDrift * 100} %: nothing was done; make a new plan${such}`,
  );
}

async function act(
  core: Core,
  { drain, runtime, range, check: { open } }: CheckedPart,
  why: string | undefined,
  stop: Stop,
  io: Io,
): Promise<Applied> {
  const progress = createProgressLine(io);
  const total = open.size;
  io.err(toHostPausesNote(drain, await readHostPauses(core, runtime)));
  const toDone = (left: number): string => `${drain}: ${total - left} of ${total} done`;
  const pausedBy = async (): Promise<string | null> => {
    const pause = await readPause(core, runtime);
    return pause === undefined ? null : `by ${pause.by}: ${pause.reason} (redriver resume)`;
  };
  try {
    return await applyPlan({
      drain: runtime,
      range,
      open,
      order: why === undefined ? {} : { why },
      signals: stop,
      pausedBy,
      onPage: (left) => progress.show(toDone(left)),
      onWait: (wait) => {
        const isLong = wait.nextCheckMs >= longWaitMs;
        progress.show(`${toDone(wait.left)}, ${toWaitText(wait)}`, isLong ? "news" : "passing");
      },
    });
  } finally {
    progress.end();
  }
}

/** Shows on stderr what was skipped and why some is left. Answers the exit code of this drain's part. */
function report(line: ApplyLine, io: Io): number {
  const { drain, applied } = line;
  io.err(toSkipsText(line));
  const { stop, left, leftReasons, leftLanes } = applied;
  const reasons = toCounts(leftReasons);
  const why = reasons.length === 0 ? "" : ` (${reasons.join(", ")})`;
  const lanes = leftLanes === null ? "" : toLanesText(terminalColumns, 2, leftLanes);
  const rest = `${left} left${why}; apply the plan again to go on\n${lanes}`;
  if (stop === null && left === 0) return 0;
  const failure = stop?.kind === "failed" ? toExit(stop.error) : null;
  const ended = stop?.kind === "paused" ? `paused ${stop.why}` : (failure?.message ?? stop?.kind);
  io.err(`${drain}: ${ended === undefined ? "" : `${ended}; `}${rest}`);
  return failure?.exitCode ?? 3;
}
