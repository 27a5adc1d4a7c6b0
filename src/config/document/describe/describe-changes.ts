import { defined } from "../../../message/defined.ts";
import type { BodyChange, ItemChanges } from "../../../message/item-changes.ts";
import type { JsonValue } from "../../../message/json-value.ts";
import { durationText } from "../../../rules/format-duration.ts";
import { maskQuery } from "../../../rules/document-form.ts";
import { describeFlowControl } from "../schema/flow-control-schema.ts";

/**
 * The changes of a republish, in the document's own form. Header values, values written into bodies, and
 * queries and credentials of addresses are shown as "[set]".
 */
export function describeChanges(changes: ItemChanges): Record<string, unknown> {
  const { destination, headers, body, delay, timeoutMs, flowControl } = changes;
  return defined({
    destination: typeof destination === "string" ? maskQuery(destination) : destination,
    queue: changes.queue,
    method: changes.method,
    headers: headers === undefined ? undefined : masked(headers),
    body: body === undefined ? undefined : describeBody(body),
    delay:
      delay === undefined
        ? undefined
        : delay.kind === "fixed"
          ? durationText(delay.ms)
          : { spread: durationText(delay.ms) },
    retries: changes.retries,
    retryDelay: changes.retryDelay,
    timeout: timeoutMs === undefined ? undefined : durationText(timeoutMs),
    callback: describeCallback(changes.callback),
    failureCallback: describeCallback(changes.failureCallback),
    labels: changes.labels,
    flowControl:
      flowControl === undefined || flowControl === null ? flowControl : describeFlowControl(flowControl),
  });
}

function describeBody(change: BodyChange): unknown {
  if (change.kind === "merge") return { merge: masked(change.value) };
  return {
    patch: change.operations.map((operation) =>
      "value" in operation ? { ...operation, value: masked(operation.value) } : operation,
    ),
  };
}

/** The names stay, null (remove) stays, every value is "[set]". */
function masked(value: JsonValue): unknown {
  if (value === null || typeof value !== "object") return value === null ? null : "[set]";
  if (Array.isArray(value)) return "[set]";
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member)]));
}

function describeCallback(url: string | null | undefined): string | null | undefined {
  if (url === undefined || url === null) return url;
  return maskQuery(url.replace(/^(https?:\/\/)[^/?#@]*@/i, "$1[set]@"));
}
