import { requireRedis, openJobQueue } from "../../../job/door.ts";
import { systemClock } from "../../../system-world.ts";
import type { Register } from "../io.ts";
import { chooseDrains } from "../../operations/choose-drains.ts";
import { loadForStatus } from "../load-config.ts";
import { isColoured } from "../output/print.ts";
import { printOrRepaint } from "../output/watch.ts";
import { withCore } from "../with-core.ts";
import { toOverview } from "./overview.ts";
import { readStatus, type Status } from "../../operations/status/read.ts";
import { toSharedInPart } from "../../read/totals.ts";
import { toFieldsText } from "../output/fields-text.ts";

/** With its details a drain does not fit a window anyway. */
const detailedRows = 200;

export const registerStatus: Register = (program, { io }) => {
  program
    .command("status")
    .description("what waits, where and until when, as Redis has it; with a drain its details")
    .argument("[drains...]", "drains of the document, to be shown in detail")
    .option("--watch", "show it again every 2 s, until Ctrl-C")
    .option("--json", "print as JSON; with --watch a line each time")
    .action(async (names: string[], options: { json?: boolean; watch?: boolean }, command) => {
      const loaded = loadForStatus(command, io);
      const { settings, problems, refusal } = loaded;
      if (refusal !== undefined && names.length > 0) throw refusal;
      await withCore(io, loaded, {}, async (core, teardown) => {
        const named = names.length === 0 ? null : chooseDrains(core, names).map(({ config }) => config.name);
        // Neither says anything then, and the document is what was asked for first.
        await requireRedis(core).catch((error: unknown) => Promise.reject(refusal ?? error));
        const jobs = await openJobQueue({ settings, teardown });
        const read = async (): Promise<Status> => {
          const nextRuns = await jobs.nextRuns();
          const status = await readStatus(core, { nextRuns, problems, now: systemClock.now() });
          if (refusal !== undefined && status.replicas.length === 0) throw refusal;
          return named === null ? status : onlyOf(status, named);
        };
        const toText = (status: Status): string => {
          const { columns } = io;
          if (named === null) return toOverview(io, status, isColoured(io));
          const overview = toOverview({ columns, rows: detailedRows }, status, isColoured(io));
          return `${overview}\n${toDetailsText(columns, status)}`;
        };
        if (refusal !== undefined) io.err(`warning: ${refusal.message}\n`);
        await printOrRepaint(io, options, read, (status) => status, toText);
      });
    });
};

export function onlyOf(status: Status, names: readonly string[]): Status {
  const drains = status.drains.filter(({ drain }) => names.includes(drain));
  const sources = status.sources.flatMap((one) => {
    const isWhole = status.drains.every(
      (drain) => drain.source !== one.source || names.includes(drain.drain),
    );
    const own = drains.filter((drain) => drain.source === one.source);
    return own.length > 0 ? [{ ...one, shared: isWhole ? one.shared : toSharedInPart(own) }] : [];
  });
  return { ...status, drains, sources };
}

/** Below the overview, from the JSON answer. Lanes, kinds of failure and plans have commands of their own. */
export function toDetailsText(columns: number, { drains, sources, replicas, at }: Status): string {
  const parts = [...drains.map(ofDrain), ...sources.map(ofSource), ...replicas];
  return parts.map((part) => toFieldsText(columns, part, at)).join("\n");
}

const drainFields =
  "drain source mode paused closedGuards due held parked inDoubt reasons nextPassAt openPass lastOutcome lastSuccessAt lastFullAt exact stillCounting";
const sourceFields =
  "source listed depth census open unknown triedAgainAt pendingDelete oldestPendingAt failedDeletes settleGate brakes hostPauses servicePauses lanes";

function pick(fields: string, answer: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(fields.split(" ").map((field) => [field, answer[field]]));
}

function ofDrain(drain: Status["drains"][number]): object {
  const { guards, reasons } = drain;
  return pick(drainFields, {
    ...drain,
    closedGuards: guards.filter(({ effect }) => effect === "closed").map(({ index }) => index),
    reasons: reasons && { ...reasons, held: withoutPlaces(reasons.held) },
  });
}

/** Those of the last passes may be over. The table of destinations has what holds them now. */
function withoutPlaces(held: object): object {
  const places: ReadonlySet<string> = new Set(["lane-halted", "lane-watched", "host-paused"]);
  return Object.fromEntries(Object.entries(held).filter(([reason]) => !places.has(reason)));
}

function ofSource(source: Status["sources"][number]): object {
  return pick(sourceFields, { ...source, lanes: source.lanes?.counts });
}
