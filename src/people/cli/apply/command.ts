import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type Core, type ListingSignals, requireRedis } from "../../../job/door.ts";
import type { PlanOrder, PlanVerdict, SharedPlan } from "../../../job/contracts/plans.ts";
import { randomIdentities, replicaName, systemClock } from "../../../system-world.ts";
import { trackApply } from "../../operations/plans/apply-shared-plan.ts";
import { apply as applyPlan } from "../../operations/acts/apply.ts";
import { requireMessages } from "../../operations/plans/require-messages.ts";
import { choosePlan } from "../../operations/plans/choose-plan.ts";
import { notWhole, startApply } from "../../operations/plans/plan-desk.ts";
import { readPlan, type PlanHead } from "../../plan/plan-file.ts";
import { readHostPauses } from "../../operations/drain-pause-and-address.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import {
  applyPart,
  checkParts,
  followParts,
  refuseDrifted,
  toPart,
  type CheckedPart,
  type PlanPart,
} from "../../operations/plans/apply-parts.ts";
import { toWhyDiscarded } from "../../operations/plans/discard.ts";
import type { Applied, ApplyRun } from "../../plan/apply.ts";
import { createSelection, type PlanSelection } from "../../plan/plan-selection.ts";
import { toLanesText } from "../plan/lanes-text.ts";
import type { CommandContext, Register } from "../command-context.ts";
import { toExit, worseExit } from "../exit-of-error.ts";
import { hasConsent } from "../input/consent.ts";
import { currentUser } from "../input/current-user.ts";
import { createStop, type Stop } from "../input/stop-on-signals.ts";
import type { Io } from "../io.ts";
import { addFields, readFields } from "../operation-command.ts";
import { loadAll } from "../load-config.ts";
import { readPlanFile } from "../plan/file.ts";
import { isColoured, printResult } from "../output/print.ts";
import { toCounts, toTime } from "../../operations/phrases.ts";
import { toHostPausesNote } from "../output/host-pauses-note.ts";
import { createProgressLine } from "../output/progress.ts";
import { terminalColumns } from "../output/wrap.ts";
import { withActingCore } from "../with-acting-core.ts";
import {
  toApplyJson,
  toApplyText,
  toQuestion,
  toSkipsText,
  toVerdictLine,
  toWaitText,
  type ApplyLine,
} from "./text.ts";

type ApplyFlags = Readonly<{ reason?: string; by?: string; yes?: boolean; follow: boolean; json?: boolean }>;

/** A wait that is shown at once, also without a terminal. */
const longWaitMs = 5_000;

export const registerApply: Register = (program, context) => {
  const command = program.command("apply").description(applyPlan.about);
  addFields(command, applyPlan);
  command
    .option("--reason <text>", "why, for the audit; required without a terminal")
    .option("--by <name>", "who, for the audit; required without a terminal, else the current user")
    .option("--yes", "do not ask")
    .option("--no-follow", "do not wait for a watch of the lanes to see what comes back")
    .option("--json", "print the summary as JSON")
    .action((...given: readonly unknown[]) => apply(given, given.at(-2) as ApplyFlags, command, context));
};

async function apply(
  typed: readonly unknown[],
  flags: ApplyFlags,
  command: Command,
  { io, exitWith }: CommandContext,
): Promise<void> {
  const { id: given, messages } = readFields(applyPlan, typed) as { id: string; messages?: number };
  if (!io.isTerminal && [flags.reason, flags.by].some((text = "") => text.trim() === "")) {
    throw new RedriverError("command-misused", "without a terminal --reason and --by are required");
  }
  const loaded = loadAll(command, io);
  const selection = createSelection();
  const id = isIdAndNoFile(given) ? given : null;
  const ofFile = id === null ? await readPlanFile(given, selection.add) : null;
  const { by = currentUser(), reason = "" } = flags;
  await withActingCore(io, command, loaded, { by }, async (core, teardown) => {
    const stop = createStop(io, teardown);
    const toParts = ({ drains, flags: filter, createdAt }: PlanHead, of?: SharedPlan | null) => {
      const name = of ? `plan ${of.id}` : `plan of ${toTime(createdAt)}`;
      const why = toWhyDiscarded(filter, name, reason);
      return drains.map((planned) => toPart(core, planned, filter, why));
    };
    // A file is judged before Redis is asked.
    if (ofFile !== null) toParts(ofFile);
    await requireRedis(core);
    const plan = id === null ? null : choosePlan(await core.plans.all(), id);
    if (plan !== null) requireMessages(plan, messages);
    const head = ofFile ?? (await readStored(core, plan, selection));
    const parts = toParts(head, plan);
    const checked = await check(parts, selection, stop, io);
    refuseDrifted(checked.map((one) => one.check));
    if (!(await hasConsent(io, flags.yes, () => toQuestion(head.createdAt, checked)))) {
      io.err("nothing was done\n");
      exitWith(3);
      return;
    }
    const track = plan === null ? null : await startTracking(core, plan, { by, why: reason }, stop);
    track?.checked(checked);
    const signals = track?.signals ?? stop;
    const applied: Applied[] = [];
    let verdicts: readonly (PlanVerdict | null)[] = [];
    try {
      for (const part of checked) {
        const run = (watch?: ApplyWatch) => act(core, part, flags.reason, signals, io, watch);
        applied.push(await (track === null ? run() : track.applying(part, run)));
      }
      verdicts = await showFollowed(
        checked,
        applied,
        { signals, isWanted: flags.follow },
        io,
        track?.followed,
      );
      await track?.end();
    } catch (error) {
      await track?.fail(error);
      throw error;
    }
    const lines = checked.map((part, at): ApplyLine => {
      return { ...part, applied: applied[at]!, verdict: verdicts[at] ?? null };
    });
    const coloured = isColoured(io) && flags.json !== true;
    printResult({ out: coloured ? io.draw : io.out }, flags.json, lines.map(toApplyJson), () =>
      [toApplyText(io.columns, lines), ...lines.map((line) => toVerdictLine(line, coloured))].join(""),
    );
    exitWith(lines.reduce((code, line) => worseExit(code, report(line, io)), 0));
  });
}

/** A file is named as such by a dot or a slash in its name. */
function isIdAndNoFile(given: string): boolean {
  return /^[0-9a-f]{4,8}(-[0-9a-f-]*)?$/.test(given) && !existsSync(given);
}

/** Throws `plan-invalid`, and `plan-refused` if it is not whole. */
async function readStored(core: Core, plan: SharedPlan | null, selection: PlanSelection): Promise<PlanHead> {
  if (plan === null) throw new RedriverError("invariant-broken", "neither a plan nor a file was named");
  if (plan.made === null) throw notWhole(plan.id);
  const reading = await readPlan(core.plans.lines(plan.id), selection.add);
  if (reading.ok) return reading.head;
  throw new RedriverError("plan-invalid", `plan ${plan.id}: ${reading.problem}`);
}

/** From now on replicas and the console show how far it is, and can stop it. */
async function startTracking({ plans: book }: Core, { id }: SharedPlan, order: PlanOrder, signals: Stop) {
  const claim = { id, token: randomIdentities.token() };
  await startApply(book, claim, order, replicaName());
  return trackApply({ book, clock: systemClock, claim, signals });
}

type ApplyWatch = Pick<ApplyRun, "onPage" | "onWait">;

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
  signals: ListingSignals,
  io: Io,
  watch?: ApplyWatch,
): Promise<Applied> {
  const { drain, runtime } = part;
  const progress = createProgressLine(io);
  const total = part.check.open.size;
  io.err(toHostPausesNote(drain, await readHostPauses(core, runtime)));
  const toDone = (left: number): string => `${drain}: ${total - left} of ${total} done`;
  try {
    return await applyPart(core, part, {
      order: why === undefined ? {} : { why },
      signals,
      onPage: (left, soFar) => {
        watch?.onPage(left, soFar);
        progress.show(toDone(left));
      },
      onWait: (wait) => {
        watch?.onWait(wait);
        const isLong = wait.nextCheckMs >= longWaitMs;
        progress.show(`${toDone(wait.left)}, ${toWaitText(wait)}`, isLong ? "news" : "passing");
      },
    });
  } finally {
    progress.end();
  }
}

/** What comes back, shown as it does: on stderr, one row for all drains. */
async function showFollowed(
  parts: readonly CheckedPart[],
  applied: readonly Applied[],
  run: Parameters<typeof followParts>[2],
  io: Io,
  onNews: Parameters<typeof followParts>[3] = () => undefined,
): Promise<readonly (PlanVerdict | null)[]> {
  const progress = createProgressLine(io);
  const texts = new Map<string, string>();
  const show: typeof onNews = (part, verdict) => {
    onNews(part, verdict);
    if (verdict?.state === "following") texts.set(part.drain, verdict.text);
    const all = [...texts].map(([drain, text]) => `${drain}: ${text}`).join("; ");
    if (all !== "") progress.show(all);
  };
  try {
    return await followParts(parts, applied, run, show);
  } finally {
    progress.end();
  }
}

/** Shows on stderr what was skipped and why some is left. Answers the exit code of this drain's part. */
function report(line: ApplyLine, io: Io): number {
  const { drain, applied, verdict } = line;
  io.err(toSkipsText(line));
  const { stop, left, leftReasons, leftLanes } = applied;
  const reasons = toCounts(leftReasons);
  const why = reasons.length === 0 ? "" : ` (${reasons.join(", ")})`;
  const lanes = leftLanes === null ? "" : toLanesText(terminalColumns, 2, leftLanes);
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
