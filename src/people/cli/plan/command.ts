import type { Command } from "commander";
import { type Core, openLedger } from "../../../job/door.ts";
import { toFailure, misused } from "../../../job/contracts/errors.ts";
import { keep as planKeep } from "../../operations/acts/plan-keep.ts";
import { requireRules, requireSelection } from "../../operations/plans/discard.ts";
import { type PlanInput, toSelection } from "../../operations/plans/plan-fields.ts";
import { toDamageText, toDecisionText } from "../../operations/plans/decision-text.ts";
import { freezePlan, type FreezeRun } from "../../operations/plans/freeze-plan.ts";
import type { Keeper } from "../../operations/plans/keep-plan.ts";
import type { PlanRequest } from "../../operations/plans/plan-desk.ts";
import { shownIdLength } from "../../operations/plans/choose-plan.ts";
import type { Foreseen } from "../../plan/foresee-next-decision.ts";
import { chooseDrains } from "../../operations/choose-drains.ts";
import type { CommandContext, Register, Io } from "../io.ts";
import { counted, toSpan, toTime } from "../../operations/phrases.ts";
import { loadAll } from "../load-config.ts";
import { toJsonLine, printResult, toHostPausesNote } from "../output/print.ts";
import { defined } from "../../../job/message/defined.ts";
import { planAgainst } from "./against.ts";
import { openNamedOutput } from "../output/named-output.ts";
import { showPlan } from "./file.ts";
import { toPlanText } from "./text.ts";
import { createProgressLine } from "../output/progress.ts";
import { createStop, withCore } from "../with-core.ts";
import { explainDecision } from "../../../job/rules/explain-decision.ts";
import { byOption } from "../input/option-values.ts";
import { openDesk } from "../plans/open-desk.ts";
import { addFieldsAndExample, readFields } from "../operation-command.ts";
import { version } from "../version.ts";

type PlanFlags = Readonly<{
  out?: string;
  show?: string;
  records?: boolean;
  json?: boolean;
  showContent?: boolean;
  keep?: boolean;
  against?: string;
  by: string;
}>;

export const registerPlan: Register = (program, context) => {
  const command = program
    .command("plan")
    .description("what a pass would do and why, over everything in the DLQ; changes nothing there");
  addFieldsAndExample(command, planKeep);
  command
    .option("--records", "message by message instead of the summary")
    .option("--json", "print as JSON; with --records one object per line")
    .option("--out <file>", "write its file too, for `redriver apply`; - is stdout")
    .option("--keep", "keep the selection in Redis for a day, whatever other plans are made")
    .addOption(byOption("who keeps it; default: the current user"))
    .option("--show <file>", "sum up such a file, from the file alone; - is stdin")
    .option(
      "--against <document>",
      "only what this document decides otherwise: a file, or `current`, that of the settings whatever --drains names",
    )
    .option("--show-content", "with header values, bodies and whole URLs, which are masked otherwise")
    .action((...given: readonly unknown[]) => plan(given, given.at(-2) as PlanFlags, command, context));
};

async function plan(
  given: readonly unknown[],
  flags: PlanFlags,
  command: Command,
  context: CommandContext,
): Promise<void> {
  const { io, exitWith } = context;
  const input = readFields(planKeep, given) as PlanInput;
  if (flags.show !== undefined) return showPlan(flags.show, input, flags, io);
  planKeep.check?.(input);
  if (flags.against !== undefined) {
    const { drains: names = [], all: _, fromArchive, ...filters } = input;
    const others = [flags.out, flags.keep, flags.records, ...Object.values(filters)];
    if (others.some((given) => given !== undefined)) {
      throw misused("--against takes names or --all, --from-archive, --drains and --json, and nothing else");
    }
    const asked = { names, against: flags.against, filter: defined({ fromArchive }) };
    return planAgainst(asked, flags.json, command, context);
  }
  if (flags.out === "-" && (flags.json === true || flags.records === true)) {
    throw misused("--out - takes stdout, so --json and --records have no place");
  }
  if (flags.keep === true && flags.showContent === true) {
    throw misused("--keep is of a masked plan; --show-content does not go with it");
  }
  await withCore(io, loadAll(command, io), { closeWithinMs: 5_000 }, async (opened, teardown) => {
    const stop = createStop(io, teardown);
    const { drains: names, filter } = toSelection(opened, input);
    requireRules(chooseDrains(opened, names), filter.rules ?? []);
    const core = await openLedger(opened);
    if (core.ledger === "none" && (flags.out !== undefined || flags.keep === true)) {
      throw misused(withoutLedgerNoAct);
    }
    const drains = await requireSelection(core, names, filter);
    const output = flags.out === undefined ? null : await openNamedOutput(flags.out, io);
    if (output !== null) teardown.add("plan file", output.discard);
    const progress = createProgressLine(io);
    const run: FreezeRun = {
      core,
      drains,
      filter,
      show: flags.showContent === true ? "content" : "masked",
      signals: stop,
      version,
      keeper: await keepPlan(core, { drains: names, filter, by: flags.by }, flags, io),
      onHostPauses: (name, pauses) => io.err(toHostPausesNote(name, pauses)),
      onPage: (name, { listed, planned }) => progress.show(`${name}: ${listed} read, ${planned} in the plan`),
      ...defined({ write: output?.write }),
    };
    const onRecord: FreezeRun["onRecord"] = (record, line) =>
      io.out(flags.json === true ? toJsonLine(line) : toRow(record, line.url));
    const report = await freezePlan(flags.records === true ? { ...run, onRecord } : run).finally(
      progress.end,
    );
    const whyNot = run.keeper?.whyNot() ?? null;
    const id = report.complete && whyNot === null ? (run.keeper?.id ?? null) : null;
    const shownOn = flags.out === "-" ? { out: io.err } : io;
    if (flags.records !== true) {
      printResult(shownOn, flags.json, { id, ...report }, () => toPlanText(io.columns, report));
    }
    if (!report.complete) return exitWith(3);
    if (report.damaged !== undefined) exitWith(1);
    // Above, the summary names them.
    if (flags.records === true)
      for (const one of report.damaged ?? []) io.err(`damaged: ${toDamageText(one)}\n`);
    if (whyNot !== null) io.err(`this plan is not kept in Redis: ${whyNot}\n`);
    if (id !== null) {
      const kept = flags.keep === true ? "kept for a day" : "kept for a day if there is room,";
      io.err(`${kept} as plan ${id}; redriver apply ${id.slice(0, shownIdLength)} acts on exactly these\n`);
    }
    if (output === null || !(await output.commit())) return;
    const records = report.drains.reduce((sum, { planned }) => sum + planned, 0);
    const where = flags.out === "-" ? "stdout" : flags.out;
    io.err(`${counted(records, "record")} written to ${where}; redriver apply acts on exactly these\n`);
  });
}

const withoutLedgerNoAct =
  "--out and --keep need a ledger: without one it is not known what was published before, so nothing may be done by such a plan; set redis.url (REDRIVER_REDIS_URL)";

/** Null: a look is not kept, because it shows content or there is no Redis. Any other trouble is said. */
async function keepPlan(
  core: Core,
  request: PlanRequest,
  { keep = false, showContent = false }: PlanFlags,
  io: Io,
): Promise<Keeper | null> {
  if (core.ledger === "none" || showContent) return null;
  try {
    return await openDesk(core).keep(request, core, !keep);
  } catch (error) {
    if (keep) throw error;
    io.err(`this plan is not kept in Redis: ${toFailure(error).message}\n`);
    return null;
  }
}

function toRow({ letter, next }: Foreseen, url: string): string {
  const facts = letter.facts ?? undefined;
  const explanation = explainDecision(letter.decision, facts);
  const status = String(letter.responseStatus ?? "none").padEnd(4);
  const then =
    next === null ? "" : `, then ${toDecisionText(next)} ${toSpan(next.at, next.at, facts?.now ?? next.at)}`;
  return `${toTime(letter.enteredAt)}  ${letter.dlqId}  ${status}  ${explanation}${then}  ${url}\n`;
}
