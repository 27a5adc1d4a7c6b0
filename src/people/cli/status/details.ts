import type { Status } from "../../operations/status/read.ts";
import { toFieldsText } from "../output/fields-text.ts";

/**
 * What `redriver status <drain>` shows below the overview, from its JSON answer. Lanes, kinds of failure and plans
 * have commands of their own.
 */
export function toDetailsText(columns: number, { drains, sources, replicas, at }: Status): string {
  const parts = [...drains.map(ofDrain), ...sources.map(ofSource), ...replicas];
  return parts.map((part) => toFieldsText(columns, part, at)).join("\n");
}

const drainFields =
  "drain source mode paused closedGuards due held parked inDoubt reasons nextPassAt openPass lastOutcome lastSuccessAt lastFullAt exact stillCounting";
const sourceFields =
  "source depth census open unknown triedAgainAt pendingDelete oldestPendingAt failedDeletes settleGate brakes hostPauses lanes";

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
