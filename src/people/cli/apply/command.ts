import { existsSync } from "node:fs";
import type { Command } from "commander";
import { requireRedis } from "../../../job/door.ts";
import type { PlanVerdict } from "../../../job/contracts/plans.ts";
import { apply as applyPlan } from "../../operations/acts/apply.ts";
import { choosePlan, requireMessages } from "../../operations/plans/choose-plan.ts";
import { readHostPauses } from "../../operations/drain-pause-and-address.ts";
import { misused } from "../../../job/contracts/errors.ts";
import { checkReason } from "../../operations/define.ts";
import { toPart, type CheckedPart } from "../../operations/plans/apply-parts.ts";
import type { ApplyWatch } from "../../operations/plans/apply-shared-plan.ts";
import { toWhyOrdered } from "../../operations/plans/discard.ts";
import { parseTarget, copyPlan, type CopyRun } from "../../operations/plans/copy-plan.ts";
import { toLaneRows } from "../plan/text.ts";
import type { CommandContext, Register, Io } from "../io.ts";
import { toExit, worseExit } from "../exit-of-error.ts";
import { hasConsent } from "../input/questions.ts";
import { byOption, currentUser } from "../input/option-values.ts";
import { createStop } from "../with-core.ts";
import { addFieldsAndExample, readFields } from "../operation-command.ts";
import { openDesk } from "../plans/open-desk.ts";
import { loadAll } from "../load-config.ts";
import { readPlanFile } from "../plan/file.ts";
import { toFieldsText, toRows } from "../output/fields-text.ts";
import { isColoured, printResult, toHostPausesNote } from "../output/print.ts";
import { toWaitText } from "../../operations/lane-words.ts";
import { toCounts, counted } from "../../operations/phrases.ts";
import { createProgressLine } from "../output/progress.ts";
import { terminalColumns } from "../output/wrap.ts";
import { withActingCore } from "../with-acting-core.ts";
import { toApplyJson, toApplyText, toQuestion, toSkipsText, toVerdictLine, type ApplyLine } from "./text.ts";

type ApplyFlags = Readonly<{ reason?: string; by?: string; yes?: boolean; follow: boolean; json?: boolean }> &
  Readonly<{ to?: string; keep?: boolean }>;

/** A wait that is shown at once, also without a terminal. */
const longWaitMs = 5_000;

export const registerApply: Register = (program, context) => {
  const command = program.command("apply").description(applyPlan.about);
  addFieldsAndExample(command, applyPlan);
  command
    .option("--reason <text>", "why, for the audit; required without a terminal")
    .addOption(byOption("who, for the audit; required without a terminal, else the current user", null))
    .option("--to <origin>", "with --keep: copy the messages to this test target; the dead letters stay")
    .option("--keep", "of --to: nothing is deleted, and nothing counts as sent again")
    .option("--yes", "do not ask")
    .option("--no-follow", "do not wait for a watch of the lanes to see what comes back")
    .option("--json", "print the summary as JSON")
    .action((...given: readonly unknown[]) => apply(given, given.at(-2) as ApplyFlags, command, context));
};

async function apply(
  typed: readonly unknown[],
  flags: ApplyFlags,
  command: Command,
  context: CommandContext,
): Promise<void> {
  const { io, exitWith } = context;
  const { id: given, messages } = readFields(applyPlan, typed) as { id: string; messages?: number };
  if (!io.isTerminal && [flags.reason, flags.by].some((text = "") => text.trim() === "")) {
    throw misused("without a terminal --reason and --by are required");
  }
  if ((flags.to === undefined) !== (flags.keep === undefined)) {
    throw misused("--to and --keep go together: a copy keeps the dead letters");
  }
  const to = flags.to === undefined ? null : parseTarget(flags.to);
  const loaded = loadAll(command, io);
  const file = isIdAndNoFile(given) ? null : await readPlanFile(given);
  const { by = currentUser(), reason = "" } = flags;
  checkReason(applyPlan, reason);
  await withActingCore(io, command, loaded, { by }, async (core, teardown) => {
    // A file is judged before Redis is asked.
    for (const planned of file?.head.drains ?? []) {
      toPart(core, planned, file!.head.flags, toWhyOrdered(file!.head.flags, "", reason));
    }
    await requireRedis(core);
    const stop = createStop(io, teardown);
    const desk = openDesk(core, stop);
    const plan = file === null ? choosePlan(await desk.list(), given) : await desk.import(file, by);
    requireMessages(plan, messages);
    const progress = createProgressLine(io);
    if (to !== null) {
      const run = { core, plan, to, order: { by, why: reason }, signals: stop };
      return copyFor(run, flags, progress, context);
    }
    let lines: readonly ApplyLine[] | null;
    try {
      const watch = createWatch(io, flags, progress, async ({ drain, runtime }) =>
        io.err(toHostPausesNote(drain, await readHostPauses(core, runtime))),
      );
      lines = await (await desk.apply(plan.id, { by, why: reason }, watch)).ended;
    } finally {
      progress.end();
    }
    if (lines === null) {
      io.err("nothing was done\n");
      return exitWith(3);
    }
    const coloured = isColoured(io) && flags.json !== true;
    const text = [toApplyText(io.columns, lines), ...lines.map((line) => toVerdictLine(line, coloured))];
    printResult({ out: coloured ? io.draw : io.out }, flags.json, lines.map(toApplyJson), () =>
      text.join(""),
    );
    exitWith(lines.reduce((code, line) => worseExit(code, report(line, io)), 0));
  });
}

/** A file is named as such by a dot or a slash in its name. */
function isIdAndNoFile(given: string): boolean {
  return /^[0-9a-f]{4,8}(-[0-9a-f-]*)?$/.test(given) && !existsSync(given);
}

function createWatch(
  io: Io,
  { yes, follow }: ApplyFlags,
  progress: ReturnType<typeof createProgressLine>,
  tellPauses: (part: CheckedPart) => Promise<void>,
): ApplyWatch {
  const texts = new Map<string, string>();
  /** Of the drain that is worked now. Its open ones become fewer. */
  let total = 0;
  const toDone = (drain: string, left: number): string => `${drain}: ${total - left} of ${total} done`;
  return {
    isFollowed: follow,
    onCheck: ({ drain }, checked, planned) =>
      progress.show(`${drain}: ${checked} of ${planned} found and decided again`),
    async agrees(createdAt, checked) {
      progress.end();
      return hasConsent(io, yes, () => toQuestion(createdAt, checked));
    },
    async onPhase(part) {
      progress.end();
      if (part === null) return;
      total = part.check.open.size;
      await tellPauses(part);
    },
    onPage: ({ drain }, left) => progress.show(toDone(drain, left)),
    onWait({ drain }, wait) {
      const isLong = wait.nextCheckMs >= longWaitMs;
      progress.show(
        `${toDone(drain, wait.left)}, waits for ${toWaitText(wait)}`,
        isLong ? "news" : "passing",
      );
    },
    onNews({ drain }, verdict) {
      if (verdict?.state === "following") texts.set(drain, verdict.text);
      const all = [...texts].map(([name, text]) => `${name}: ${text}`).join("; ");
      if (all !== "") progress.show(all);
    },
  };
}

/** Shows on stderr what was skipped and why some is left. Answers the exit code of this drain's part. */
function report(line: ApplyLine, io: Io): number {
  const { drain, applied, verdict } = line;
  io.err(toSkipsText(line));
  const { stop, left, leftReasons, leftLanes } = applied;
  const reasons = toCounts(leftReasons);
  const why = reasons.length === 0 ? "" : ` (${reasons.join(", ")})`;
  const lanes =
    leftLanes === null ? "" : toFieldsText(terminalColumns, { lanes: toLaneRows(leftLanes) }, 0, 2);
  const rest = `${left} left${why}; apply the plan again to go on\n${lanes}`;
  const told = verdict === null ? 0 : toExitCode(verdict);
  if (stop === null && left === 0) return told;
  const failure = stop?.kind === "failed" ? toExit(stop.error) : null;
  const ended = stop?.kind === "paused" ? `paused ${stop.why}` : (failure?.message ?? stop?.kind);
  io.err(`${drain}: ${ended === undefined ? "" : `${ended}; `}${rest}`);
  return worseExit(told, failure?.exitCode ?? 3);
}

function toExitCode({ state, isBad }: PlanVerdict): number {
  if (isBad || state === "unknown") return 1;
  return state === "stopped" ? 3 : 0;
}

/** `redriver apply --to … --keep`: asks, copies, and says what became of the copies at the service. */
async function copyFor(
  run: Omit<CopyRun, "agrees" | "onPage">,
  { yes, json }: Readonly<{ yes?: boolean; json?: boolean }>,
  progress: ReturnType<typeof createProgressLine>,
  { io, exitWith }: CommandContext,
): Promise<void> {
  const toQuestion = (count: number): string =>
    `Copy ${counted(count, "message")} to ${run.to}, secrets too; the dead letters stay. Go on?`;
  const ends = await copyPlan({
    ...run,
    agrees: (count) => hasConsent(io, yes, () => toQuestion(count)),
    onPage: (drain, copied) => progress.show(`${drain}: ${copied} copied`),
  });
  progress.end();
  if (ends === null) io.err("nothing was done\n");
  else {
    const rows = ends.map(({ leftReasons, ...end }) => ({ ...end, why: toCounts(leftReasons) }));
    printResult(io, json, ends, () => toRows(io.columns, rows));
  }
  if (ends === null || ends.some(({ left }) => left > 0)) exitWith(3);
}
