export { createEventLog } from "./event-log.ts";
export type { MeasuredDocument, ReasonsByDecision } from "./event-counters.ts";
export { createLogger, type Logger, type LoggerOptions } from "./logger.ts";
export { createMetrics, type Metrics, type MetricsOptions } from "./metrics.ts";
