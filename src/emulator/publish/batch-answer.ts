import type { FaultOf } from "../faults/faults.ts";
import { json, type Answer } from "../http/exchange.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import { parseBatch, type BatchItem } from "./batch-validation.ts";
import type { PublishAnswer } from "./publisher.ts";

/** Publishes a whole batch, or refuses it; only a fault lets single items fail. */
export function batchAnswer(world: World, payload: unknown, callerIp: string): Answer {
  const items = parseBatch(payload, world.directory, world.settings);
  refuseWhole(world, items);
  const answers = items.map((item, position) => {
    const refused = world.faults.draw("item-error", "batch", (fault) => concerns(fault, item, position));
    if (refused === undefined) return publish(world, item, position, callerIp);
    const { answer, error, published, registersDeduplication } = refused.fault;
    if (published) world.publisher.publish(item, position, callerIp);
    else if (registersDeduplication) world.publisher.registerOnly(item);
    return answer === undefined ? { error } : answer;
  });
  return json(200, answers);
}

function refuseWhole(world: World, items: readonly BatchItem[]): void {
  const refused = world.faults.draw("refuse-batch", "batch", (fault) =>
    items.some((item) => isAbout(fault, item)),
  );
  if (refused === undefined) return;
  const { status, error, registersDeduplication } = refused.fault;
  if (registersDeduplication) for (const item of items) world.publisher.registerOnly(item);
  throw new Refusal(status, error);
}

/** Half of a URL Group may fail. An item for one URL is answered as if that were a group of which another endpoint failed. */
function publish(world: World, item: BatchItem, position: number, callerIp: string): unknown {
  const half = world.faults.draw("half-failed-group", "batch", (fault) => isAbout(fault, item));
  if (half === undefined) return world.publisher.publish(item, position, callerIp);
  const served = item.endpoints.filter((_, n) => n % 2 === 0);
  const others = item.endpoints.filter((_, n) => n % 2 === 1);
  const answer = world.publisher.publish({ ...item, endpoints: served }, position, callerIp);
  const { error } = half.fault;
  const failed = (others.length > 0 ? others : served).map(({ url }) => ({ url, error }));
  return [...membersOf(answer, served), ...failed];
}

const membersOf = (answer: PublishAnswer, [first]: BatchItem["endpoints"]): readonly unknown[] =>
  "messageId" in answer ? [{ ...answer, url: first?.url }] : answer;

function concerns(fault: FaultOf<"item-error">, item: BatchItem, position: number): boolean {
  const { positions } = fault;
  return (positions === undefined || positions.includes(position)) && isAbout(fault, item);
}

function isAbout(
  { destinationContains, bodyContains }: FaultOf<"item-error" | "refuse-batch" | "half-failed-group">,
  { destination, body }: BatchItem,
): boolean {
  return (
    (destinationContains === undefined || destination.includes(destinationContains)) &&
    (bodyContains === undefined || body.includes(bodyContains))
  );
}
