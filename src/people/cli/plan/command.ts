import type { Command } from "commander";
import { type Core, openLedger, type DrainRuntime } from "../../../job/door.ts";
import type { PlanFilter } from "../../../job/contracts/plans.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import { keep as planKeep } from "../../operations/acts/plan-keep.ts";
import { toSelection, type PlanInput } from "../../operations/plans/plan-fields.ts";
import { toDecisionText } from "../../operations/plans/decision-text.ts";
import { freezePlan, type PlanReport } from "../../operations/plans/freeze-plan.ts";
import { requireRules } from "../../operations/plans/require-rules.ts";
import type { Foreseen } from "../../plan/foresee-next-decision.ts";
import type { PlanRecord } from "../../plan/plan-file-record.ts";
import { chooseDrains } from "../../operations/choose-drains.ts";
import type { CommandContext, Register } from "../command-context.ts";
import { counted, toSpan, toTime } from "../../operations/phrases.ts";
import type { Io } from "../io.ts";
import { loadAll } from "../load-config.ts";
import { toJsonLine } from "../output/json.ts";
import { printResult } from "../output/print.ts";
import { requireFailure } from "../../operations/failures/choose.ts";
import { defined } from "../../../job/message/defined.ts";
import { planAgainst } from "./against.ts";
import { keepPlan } from "./keep.ts";
import { openPlanOutput, type PlanOutput } from "./file.ts";
import { showPlan } from "./show-file.ts";
import { toPlanText } from "./text.ts";
import { toHostPausesNote } from "../output/host-pauses-note.ts";
import { createProgressLine } from "../output/progress.ts";
import { createStop, type Stop } from "../input/stop-on-signals.ts";
import { explainDecision } from "../../../job/rules/explain-decision.ts";
import { currentUser } from "../input/current-user.ts";
import { addFields, readFields } from "../operation-command.ts";
import { version } from "../version.ts";
import { withCore } from "../with-core.ts";

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
    .description("what a pass would do and why, over everything in the DLQ; changes nothing");
  addFields(command, planKeep);
  command
    .option("--records", "message by message instead of the summary")
    .option("--json", "print as JSON; with --records one object per line")
    .option("--out <file>", "freeze the selection in a file for `redriver apply`; - is stdout")
    .option("--keep", "keep the selection in Redis for a day, for `redriver apply` and the console")
    .option("--by <name>", "who keeps it; default: the current user", currentUser())
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
  if (flags.show !== undefined) {
    await showPlan(flags.show, input, flags, io);
    return;
  }
  planKeep.check?.(input);
  if (flags.against !== undefined) {
    const { drains: names = [], all: _, ...filters } = input;
    const others = { ...filters, ...defined({ out: flags.out, keep: flags.keep, records: flags.records }) };
    if (Object.values(others).some((given) => given !== undefined)) {
      throw new RedriverError(
        "command-misused",
        "--against takes names or --all, --drains and --json, and nothing else",
      );
    }
    await planAgainst({ names, against: flags.against }, flags.json, command, context);
    return;
  }
  if (flags.out === "-" && (flags.json === true || flags.records === true)) {
    throw new RedriverError("command-misused", "--out - takes stdout, so --json and --records have no place");
  }
  if (flags.keep === true && [flags.out, flags.records, flags.showContent].some((one) => one !== undefined)) {
    throw new RedriverError(
      "command-misused",
      "--keep is of a masked plan in Redis; --out, --records and --show-content do not go with it",
    );
  }
  await withCore(io, loadAll(command, io), { closeWithinMs: 5_000 }, async (opened, teardown) => {
    const stop = createStop(io, teardown);
    const { drains: names, filter } = toSelection(opened, input);
    requireRules(chooseDrains(opened, names), filter.rules ?? []);
    const core = await openLedger(opened);
    if (core.ledger === "none" && (flags.out !== undefined || flags.keep === true)) {
      throw new RedriverError("command-misused", withoutLedgerNoAct);
    }
    const drains = chooseDrains(core, names);
    if (core.ledger === "there" && filter.failure !== undefined) {
      await requireFailure(
        core,
        drains.map(({ config }) => config.source.id),
        filter.failure,
      );
    }
    if (flags.keep === true) return keepPlan(core, { drains: names, filter, ...flags }, stop, context);
    const output = flags.out === undefined ? null : await openPlanOutput(flags.out, io);
    if (output !== null) teardown.add("plan file", output.discard);
    const { report, records } = await planAll(core, drains, { flags, filter }, output, stop, io);
    const shownOn = flags.out === "-" ? { out: io.err } : io;
    if (flags.records !== true) {
      printResult(shownOn, flags.json, report, () => toPlanText(io.columns, report));
    }
    if (!report.complete) exitWith(3);
    if (output === null || !report.complete) return;
    await output.commit();
    const where = flags.out === "-" ? "stdout" : flags.out;
    io.err(`${counted(records, "record")} written to ${where}; redriver apply acts on exactly these\n`);
  });
}

const withoutLedgerNoAct =
  "--out and --keep need a ledger: without one it is not known what was published before, so nothing may be done by such a plan; set redis.url (REDRIVER_REDIS_URL)";

async function planAll(
  core: Core,
  drains: readonly DrainRuntime[],
  { flags, filter }: { readonly flags: PlanFlags; readonly filter: PlanFilter },
  output: PlanOutput | null,
  stop: Stop,
  io: Io,
): Promise<{ readonly report: PlanReport; readonly records: number }> {
  const progress = createProgressLine(io);
  const onRecord = (record: Foreseen, line: PlanRecord): void =>
    io.out(flags.json === true ? toJsonLine(line) : toRow(record, line.url));
  try {
    return await freezePlan({
      core,
      drains,
      filter,
      show: flags.showContent === true ? "content" : "masked",
      signals: stop,
      version,
      onHostPauses: (name, pauses) => io.err(toHostPausesNote(name, pauses)),
      write: output?.write ?? null,
      ...(flags.records === true ? { onRecord } : {}),
      onPage: (name, { listed, planned }) => progress.show(`${name}: ${listed} read, ${planned} in the plan`),
    });
  } finally {
    progress.end();
  }
}

/** When a record entered, which one, how it failed, what becomes of it and why, and its destination. */
function toRow({ letter, next }: Foreseen, url: string): string {
  const facts = letter.facts ?? undefined;
  const explanation = explainDecision(letter.decision, facts);
  const status = String(letter.responseStatus ?? "none").padEnd(4);
  const then =
    next === null ? "" : `, then ${toDecisionText(next)} ${toSpan(next.at, next.at, facts?.now ?? next.at)}`;
  return `${toTime(letter.enteredAt)}  ${letter.dlqId}  ${status}  ${explanation}${then}  ${url}\n`;
}
