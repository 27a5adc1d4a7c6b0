import { Argument, type Command } from "commander";
import { requireRedis, openJobQueue } from "../../../job/door.ts";
import { systemClock } from "../../../system-world.ts";
import type { DestinationName } from "../../../job/message/destination-names.ts";
import type { CommandContext, Register } from "../command-context.ts";
import { unknownDrainNote } from "../../operations/choose-drains.ts";
import { currentUser } from "../input/current-user.ts";
import { countOption, toHostName } from "../input/option-values.ts";
import { requireReason } from "../input/reason.ts";
import { loadForReading, loadNames } from "../load-config.ts";
import { toJsonLine } from "../output/json.ts";
import { printRows, printSaid } from "../output/print.ts";
import { tableLimit } from "../output/table.ts";
import { withCore } from "../with-core.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { probe, reset, type LaneAct, type LaneActParts } from "../../operations/lanes/acts.ts";
import { chooseLane, type ChosenLane } from "../../operations/lanes/choose-lane.ts";
import { readLanes, type LaneRow } from "../../operations/lanes/read.ts";
import { toLanesTable } from "./text.ts";
import type { LaneConfig } from "../../../job/contracts/drains-document.ts";
import { maxProbe } from "../../../job/contracts/lanes.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { terminalColumns, wrapWords } from "../output/wrap.ts";

type ListFlags = Readonly<{ drain?: string; json?: boolean; limit?: number }>;
type ActFlags = Readonly<{ drain?: string; reason?: string; by: string; json?: boolean }>;

interface LaneCommand {
  /** The act, as in "a probe needs --reason". */
  readonly what: string;
  readonly act: LaneAct;
  /** What a person should know before the act; empty: nothing. */
  readonly toWarning: (lane: ChosenLane, parts: LaneActParts) => string;
  /** Where its result is seen; empty: there is none. */
  readonly hint: string;
}

export const registerLanes: Register = (program, context) => {
  const lanes = program
    .command("lanes")
    .description("how each destination is tried, and what a person can do about a halted one");
  lanes
    .command("list", { isDefault: true })
    .description("all lanes: halted ones first, then those that are tried, then open ones")
    .option("--drain <name>", "only of this drain")
    .addOption(countOption("--limit <n>", `at most so many; default: all, of the table ${tableLimit}`))
    .option("--json", "print one JSON object per line")
    .action((flags: ListFlags, command: Command) => list(flags, command, context));
  addAct("probe", "try a halted destination now: one message, as any probe", {
    what: "a probe",
    act: probe,
    toWarning: toProbeCost,
    hint: "redriver lanes shows what becomes of it",
  });
  addAct("reset", "let a lane start over with a few messages, as a new one", {
    what: "a reset",
    act: reset,
    toWarning: () => "",
    hint: "",
  });

  function addAct(name: string, description: string, laneCommand: LaneCommand): void {
    const host = new Argument("<host>", "a host, host:port, an origin or queue:<name>").argParser(toHostName);
    lanes
      .command(name)
      .description(description)
      .addArgument(host)
      .option("--drain <name>", "the lane of this drain, if several have one")
      .option("--reason <text>", "why; recorded in the audit. Asked for on a terminal")
      .option("--by <name>", "who; default: the current user", currentUser())
      .option("--json", "print as JSON")
      .action((destination: DestinationName, flags: ActFlags, command: Command) =>
        actOn(destination, flags, command, context, laneCommand),
      );
  }
};

async function list(
  { drain, json, limit }: ListFlags,
  command: Command,
  { io }: CommandContext,
): Promise<void> {
  const loaded = loadForReading(command, io);
  await withCore(io, loaded, {}, async (core) => {
    await requireRedis(core);
    const now = systemClock.now();
    const { shown } = await printRows(
      io,
      readLanes(core, { drain, isWhole: loaded.problems === 0 }),
      limit,
      json === true ? (row: LaneRow): object => row : null,
      (row: LaneRow) => row,
      (rows) => (rows.length === 0 ? "" : toLanesTable(io.columns, rows, now)),
    );
    const note = unknownDrainNote(drain, [...core.drains.keys()], shown);
    if (shown === 0) io.err(note ?? "no lanes are known: nothing was tried for 7 days\n");
  });
}

async function actOn(
  host: DestinationName,
  flags: ActFlags,
  command: Command,
  { io, exitWith }: CommandContext,
  { what, act, toWarning, hint }: LaneCommand,
): Promise<void> {
  const loaded = loadNames(command, io);
  // Before anything is asked of Redis.
  if (!io.isTerminal) await requireReason(io, flags.reason, what);
  await withCore(io, loaded, { by: flags.by }, async (core, teardown) => {
    await requireRedis(core);
    const chosen = await chooseLane(core, host, flags.drain);
    const { origin, drain } = chosen.view;
    const jobs = await openJobQueue({ settings: core.settings, teardown });
    const parts = {
      core,
      requestSweep: jobs.requestSweep,
      isWhole: loaded.problems === 0,
    };
    // Before anybody types a reason. A script has read docs/lanes.md.
    const before = toWarning(chosen, parts);
    if (io.isTerminal) io.err(before);
    const reason = await requireReason(io, flags.reason, what);
    const { said, isDone } = await act(chosen, { reason, by: flags.by }, parts);
    printSaid(io, `${toDestinationText(origin)} of ${drain}: ${said}`);
    if (flags.json === true) {
      const source = chosen.built.runtime.config.id;
      io.out(toJsonLine({ source, drain, origin, done: isDone, said }));
    }
    if (isDone && hint !== "" && io.isTerminal) io.err(`${hint}\n`);
    if (!isDone) exitWith(1);
  });
}

/** As the lane machine and the lineage count it. Empty for a lane that is not halted. */
function toProbeCost(
  { view }: ChosenLane,
  { core, isWhole }: Pick<LaneActParts, "core" | "isWhole">,
): string {
  if (view.state !== "halted") return "";
  const lane = isWhole ? core.drains.get(view.drain)?.config.lane : undefined;
  return wrapWords(terminalColumns, 0, "", toProbeCostText(lane));
}

function toProbeCostText(lane: Pick<LaneConfig, "probeEveryMs"> | undefined): string {
  const most = lane === undefined ? "3 times probeEvery" : formatDuration(maxProbe * lane.probeEveryMs);
  return [
    "A probe is one message.",
    "No answer, 5xx, 408, 425 or 429: the lane stays halted, its next probe comes 1.5 times as late (at most",
    `${most}), and the message keeps its attempt, unless it was first sent over 7 days ago.`,
    "Any other failure uses one attempt; a lane halted by no answers or 5xx goes on then, unless that failed before.",
  ].join(" ");
}
