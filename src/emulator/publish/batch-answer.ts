import type { FaultOf } from "../faults/faults.ts";
import { json, type Answer } from "../http/exchange.ts";
import type { World } from "../world.ts";
import { parseBatch, type BatchItem } from "./batch-validation.ts";

/** Publishes a whole batch, or refuses it; only a fault lets single items fail. */
export function batchAnswer(world: World, payload: unknown, callerIp: string): Answer {
  const items = parseBatch(payload, world.directory, world.settings);
  const answers = items.map((item, position) => {
    const refused = world.faults.draw("item-error", "batch", (fault) => concerns(fault, item, position));
    if (refused === undefined) return world.publisher.publish(item, position, callerIp);
    const { answer, error, published, registersDeduplication } = refused.fault;
    if (published) world.publisher.publish(item, position, callerIp);
    else if (registersDeduplication) world.publisher.registerOnly(item);
    return answer === undefined ? { error } : answer;
  });
  return json(200, answers);
}

function concerns(fault: FaultOf<"item-error">, item: BatchItem, position: number): boolean {
  const { positions, destinationContains, bodyContains } = fault;
  return (
    (positions === undefined || positions.includes(position)) &&
    (destinationContains === undefined || item.destination.includes(destinationContains)) &&
    (bodyContains === undefined || item.body.includes(bodyContains))
  );
}
