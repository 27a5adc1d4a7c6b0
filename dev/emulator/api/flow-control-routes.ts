import type { EmulatorCore } from "../emulator-parts.ts";
import { json, jsonOf } from "../http/answers.ts";
import { naturalOf, refuseParameters } from "../http/parse-body-and-query.ts";
import { isFlowControl } from "../publish/header-values.ts";
import { EmulatorRefusal } from "../refusal.ts";
import type { Pin } from "../delivery/flow-control.ts";
import { route, type MessageRoute } from "./route.ts";

/** Reading and steering flow control keys, and the parallelism over all of them. */
export const flowControlRoutes: readonly MessageRoute[] = [
  route("manage", "GET", "/v2/flowControl", (core) => json(200, core.deliveries.flowControl.states())),
  route("manage", "GET", "/v2/flowControl/{key}", (core, _exchange, { key }) =>
    jsonOf(core.deliveries.flowControl.find(key!)?.state(), "flow control key"),
  ),
  route("manage", "POST", "/v2/flowControl/{key}/pause", (core, _exchange, { key }) => {
    if (core.deliveries.flowControl.pause(key!)) core.journal.add({ type: "paused", flowControlKey: key! });
    return json(200, {});
  }),
  route("manage", "POST", "/v2/flowControl/{key}/resume", (core, _exchange, { key }) => {
    if (core.deliveries.flowControl.resume(key!)) core.journal.add({ type: "resumed", flowControlKey: key! });
    return json(200, {});
  }),
  route("manage", "POST", "/v2/flowControl/{key}/pin", (core, { query }, { key }) => {
    core.deliveries.flowControl.pin(key!, pinOf(query));
    return json(200, {});
  }),
  route("manage", "POST", "/v2/flowControl/{key}/unpin", (core, { query }, { key }) => {
    const flags = ["parallelism", "rate"] as const;
    refuseParameters(query, flags, flags);
    const what = { parallelism: flagOf(query, "parallelism"), rate: flagOf(query, "rate") };
    core.deliveries.flowControl.find(key!)?.unpin(what);
    return json(200, {});
  }),
  route("manage", "POST", "/v2/flowControl/{key}/resetRate", (core, _exchange, { key }) => {
    core.deliveries.flowControl.find(key!)?.resetRate();
    return json(200, {});
  }),
  route("manage", "GET", "/v2/globalParallelism", (core) => json(200, globalParallelism(core))),
];

/** All calls under way, those of messages without a key included: they take the same places. */
const globalParallelism = ({ settings, deliveries }: EmulatorCore): Record<string, number> => ({
  parallelismMax: settings.maxInFlight,
  parallelismCount: deliveries.slots.taken,
});

function pinOf(query: URLSearchParams): Pin {
  const names = ["parallelism", "rate", "period"] as const;
  refuseParameters(query, names, names);
  const parallelism = naturalOf(query, "parallelism", undefined);
  const rate = naturalOf(query, "rate", undefined);
  const periodSeconds = naturalOf(query, "period", undefined);
  if (!isFlowControl({ key: "", parallelism, rate, periodSeconds })) {
    throw new EmulatorRefusal(400, "invalid flow control: expected whole numbers from 1 up");
  }
  if (parallelism === undefined && rate === undefined) {
    throw new EmulatorRefusal(400, "expected a parallelism or a rate to pin");
  }
  if (periodSeconds !== undefined && rate === undefined) {
    throw new EmulatorRefusal(400, "a period can only be pinned with a rate");
  }
  return { parallelism, rate, periodSeconds };
}

function flagOf(query: URLSearchParams, name: string): boolean {
  const text = query.get(name) ?? "false";
  if (text === "true" || text === "false") return text === "true";
  throw new EmulatorRefusal(400, `${name} must be true or false: ${text}`);
}
