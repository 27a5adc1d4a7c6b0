import type { BodyChange, DestinationRewrite, ItemChanges } from "../../message/item-changes.ts";
import type { ChangeKeys } from "./schema/change-schema.ts";
import { toFlowControl } from "./schema/flow-control-schema.ts";

/** What a republish changes, by what `set` says. */
export function toChanges(set: ChangeKeys): ItemChanges {
  const { destination, delay, body, flowControl, timeout, labels } = set;
  const changes: { [Key in keyof ItemChanges]?: ItemChanges[Key] | undefined } = {
    destination: typeof destination === "object" ? toRewrite(destination) : destination,
    queue: set.queue,
    method: set.method?.toUpperCase(),
    headers: set.headers,
    body: body === undefined ? undefined : toBodyChange(body),
    delay:
      delay === undefined
        ? undefined
        : typeof delay === "number"
          ? { kind: "fixed", ms: delay }
          : { kind: "spread", ms: delay.spread },
    retries: set.retries,
    retryDelay: set.retryDelay,
    timeoutMs: timeout,
    callback: set.callback,
    failureCallback: set.failureCallback,
    labels: labels === undefined ? undefined : [...new Set(typeof labels === "string" ? [labels] : labels)],
    flowControl: flowControl === undefined || flowControl === null ? flowControl : toFlowControl(flowControl),
  };
  return defined(changes);
}

function toBodyChange({ merge, patch }: NonNullable<ChangeKeys["body"]>): BodyChange {
  return patch === undefined ? { kind: "merge", value: merge ?? {} } : { kind: "patch", operations: patch };
}

function toRewrite(parts: Exclude<ChangeKeys["destination"], string | undefined>): DestinationRewrite {
  return defined(parts);
}

/** Without the keys whose value is undefined. */
function defined<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };
}
