import type { Command } from "commander";
import { type Core, requireRedis } from "../../../job/door.ts";
import { readHostPauses } from "../../operations/drain-pause-and-address.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import {
  applyPart,
  checkParts,
  refuseDrifted,
  toPart,
  type CheckedPart,
  type PlanPart,
} from "../../operations/plans/apply-parts.ts";
import type { Applied } from "../../plan/apply.ts";
import { createSelection, type PlanSelection } from "../../plan/plan-selection.ts";
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
import { toApplyJson, toApplyText, toQuestion, toSkipsText, toWaitText, type ApplyLine } from "./text.ts";

type ApplyFlags = Readonly<{ reason?: string; by?: string; yes?: boolean; json?: boolean }>;

/** A wait that is shown at once, also without a terminal. */
const longWaitMs = 5_000;

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
    await requireRedis(core);
    const checked = await check(parts, selection, stop, io);
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
    printResult(io, flags.json, lines.map(toApplyJson), () => toApplyText(io.columns, lines));
    exitWith(lines.reduce((code, line) => worseExit(code, report(line, io)), 0));
  });
}

async function check(
  parts: readonly PlanPart[],
  selection: PlanSelection,
  stop: Stop,
  io: Io,
): Promise<readonly CheckedPart[]> {
  const progress = createProgressLine(io);
  try {
    return await checkParts(parts, selection, stop, (drain, checked, planned) =>
      progress.show(`${drain}: ${checked} of ${planned} found and decided again`),
    );
  } finally {
    progress.end();
  }
}

async function act(
  core: Core,
  part: CheckedPart,
  why: string | undefined,
  stop: Stop,
  io: Io,
): Promise<Applied> {
  const { drain, runtime } = part;
  const progress = createProgressLine(io);
  const total = part.check.open.size;
  io.err(toHostPausesNote(drain, await readHostPauses(core, runtime)));
  const toDone = (left: number): string => `${drain}: ${total - left} of ${total} done`;
  try {
    return await applyPart(core, part, {
      order: why === undefined ? {} : { why },
      signals: stop,
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
