import { errorAnswer, json } from "../http/exchange.ts";
import type { FlowControlState } from "../delivery/flow-control.ts";
import { route, type MessageRoute } from "./route.ts";

/** What concerns the service as a whole: signing keys, flow control, statistics of search indexes. */
export const service: readonly MessageRoute[] = [
  route("manage", "GET", "/v2/keys", (core) => {
    const { current, next } = core.settings.signingKeys;
    return json(200, { current, next });
  }),
  route("manage", "GET", "/v2/flowControl", (core) => json(200, core.deliveries.flowControls().map(shown))),
  route("manage", "GET", "/v2/flowControl/{key}", (core, _exchange, { key }) => {
    const flow = core.deliveries.flowControls().find((state) => state.key === key);
    return flow === undefined ? errorAnswer(404, "flow control key not found") : json(200, shown(flow));
  }),
  route("statistics", "GET", "/v2/search/{id}/stats", (core, exchange, { id }) =>
    core.indexes.statistics(id!, exchange.query, core.clock.now()),
  ),
];

/** 0 where there is no limit; `ratePeriodStart` in unix seconds. Keys cannot be paused or pinned here. */
const shown = (state: FlowControlState): Record<string, unknown> => ({
  flowControlKey: state.key,
  waitListSize: state.waiting,
  parallelismMax: state.parallelism ?? 0,
  parallelismCount: state.inFlight,
  rateMax: state.rate ?? 0,
  rateCount: state.rateCount,
  ratePeriod: state.periodSeconds ?? 0,
  ratePeriodStart: Math.floor((state.ratePeriodStart ?? 0) / 1_000),
  isPaused: false,
  isPinnedParallelism: false,
  isPinnedRate: false,
});
