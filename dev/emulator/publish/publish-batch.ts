import type { FaultOf } from "../faults/faults.ts";
import { json, type EmulatorAnswer } from "../http/answers.ts";
import { EmulatorRefusal } from "../refusal.ts";
import type { EmulatorCore } from "../emulator-parts.ts";
import { parseBatch, type PublishItem } from "./parse-publish-items.ts";
import type { PublishAnswer } from "./publisher.ts";

/** Publishes a whole batch, or refuses it. `invalidItems` and faults let single items fail. */
export function publishBatch(core: EmulatorCore, payload: unknown, callerIp: string): EmulatorAnswer {
  const { invalidItems, refusedIds } = core.settings;
  const parsed = parseBatch(payload, core.directory, core.settings);
  const items = parsed.flatMap((item) => ("refusal" in item ? [] : [item]));
  const invalid = parsed.flatMap((item) => ("refusal" in item ? [item] : []));
  const isRefusedWhole = invalid.length > 0 && invalidItems === "refuse-batch";
  if (refusedIds === "taken") {
    for (const { deduplicationId } of invalid) core.publisher.takeId(deduplicationId, []);
    if (isRefusedWhole) for (const item of items) core.publisher.registerOnly(item);
  }
  if (isRefusedWhole) throw invalid[0]!.refusal;
  refuseWhole(core, items);
  const answers = parsed.map((item, position) => {
    if ("refusal" in item) return { error: item.refusal.message };
    const refused = core.faults.draw("item-error", "batch", (fault) => isAbout(fault, item, position));
    if (refused === undefined) return publish(core, item, position, callerIp);
    const { answer, error, published, registersDeduplication } = refused.fault;
    if (published) core.publisher.publish(item, position, callerIp);
    else if (registersDeduplication) core.publisher.registerOnly(item);
    return answer === undefined ? { error } : answer;
  });
  return json(200, answers);
}

function refuseWhole(core: EmulatorCore, items: readonly PublishItem[]): void {
  const refused = core.faults.draw("refuse-batch", "batch", (fault) =>
    items.some((item) => isAbout(fault, item)),
  );
  if (refused === undefined) return;
  const { status, error, registersDeduplication } = refused.fault;
  if (registersDeduplication) for (const item of items) core.publisher.registerOnly(item);
  throw new EmulatorRefusal(status, error);
}

/** Half of a URL Group may fail. One URL is answered as if another endpoint of a group had failed. */
function publish(core: EmulatorCore, item: PublishItem, position: number, callerIp: string): unknown {
  const half = core.faults.draw("half-failed-group", "batch", (fault) => isAbout(fault, item));
  if (half === undefined) return core.publisher.publish(item, position, callerIp);
  const served = item.endpoints.filter((_, n) => n % 2 === 0);
  const others = item.endpoints.filter((_, n) => n % 2 === 1);
  const answer = core.publisher.publish({ ...item, endpoints: served }, position, callerIp);
  const { error } = half.fault;
  const failed = (others.length > 0 ? others : served).map(({ url }) => ({ url, error }));
  return [...membersOf(answer, served), ...failed];
}

const membersOf = (answer: PublishAnswer, [first]: PublishItem["endpoints"]): readonly unknown[] =>
  "messageId" in answer ? [{ ...answer, url: first?.url }] : answer;

/**
 * Whether a fault concerns an item; it may name positions, a part of the destination and a part of the body.
 */
function isAbout(
  fault: FaultOf<"item-error" | "refuse-batch" | "half-failed-group">,
  { destination, body }: PublishItem,
  position?: number,
): boolean {
  const { destinationContains = "", bodyContains = "" } = fault;
  const positions = "positions" in fault ? fault.positions : undefined;
  return (
    (positions === undefined || (position !== undefined && positions.includes(position))) &&
    destination.includes(destinationContains) &&
    body.includes(bodyContains)
  );
}
