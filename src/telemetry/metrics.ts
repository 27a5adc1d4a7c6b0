import { collectDefaultMetrics, Counter, Gauge, Registry } from "prom-client";
import { sleptFully, type Clock } from "../job/contracts/clock.ts";
import type { Events } from "../job/contracts/events.ts";
import { isRedisAway, isRedisSilent } from "../job/contracts/errors.ts";
import type { QueueFacts } from "../job/contracts/queue-facts.ts";
import type { IndexGauge } from "../job/contracts/index-statistics.ts";
import { createEventCounters, type MeasuredDocument } from "./event-counters.ts";
import { createQueueGauges } from "./drain-and-source-gauges.ts";
import { gaugesOf } from "./gauges-of.ts";

export interface MetricsOptions {
  readonly version: string;
  readonly consoleUrl?: string | undefined;
  /** Called at each render, and given 2 s. Null or a rejection: their series are absent, not 0. */
  readonly readFacts: () => Promise<QueueFacts | null>;
  /** The latest statistics of search indexes, read like the facts. A rejection: no series. */
  readonly indexGauges: () => Promise<readonly IndexGauge[]>;
  readonly memory: () => MemoryUse;
  /** So far; absent: the log drops none. */
  readonly droppedLogLines?: () => number;
  /** How many drains move nothing although they could; default: none. */
  readonly standstills?: () => number;
  readonly clock: Pick<Clock, "sleep" | "now">;
}

export interface MemoryUse {
  /** Of the budget that all pages share. */
  readonly pageBytes: number;
  readonly pageLimitBytes: number;
  /** Of the container; of the machine if there is none. */
  readonly limitBytes: number;
}

export type ProcessMetrics = ReturnType<typeof createMetrics>;

/**
 * The library's timer for the event loop cannot be switched off, and at every 100 ms costs a third of what an idle
 * daemon needs. So it never fires, and its gauges are removed. `nodejs_eventloop_lag_seconds` needs no timer.
 */
const eventLoopPrecisionMs = 2 ** 31 - 1;
const timerFed = ["min", "max", "mean", "stddev", "p50", "p90", "p99"];

export function createMetrics(options: MetricsOptions) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopPrecisionMs });
  for (const kind of timerFed) registry.removeSingleMetric(`nodejs_eventloop_lag_${kind}_seconds`);
  const counters = createEventCounters(registry);
  const dropped = new Counter({
    name: "redriver_log_lines_dropped_total",
    help: "Lines of the log that were not written, because nobody read it fast enough.",
    registers: [registry],
  });
  let droppedSoFar = 0;
  const gauge = gaugesOf(registry);
  const pageBytes = gauge(
    "redriver_page_memory_bytes",
    "Memory that this replica's pages take now, of their budget.",
  );
  const pageLimitBytes = gauge(
    "redriver_page_memory_limit_bytes",
    "The budget of memory for all pages at once.",
  );
  const limitBytes = gauge(
    "redriver_memory_limit_bytes",
    "Memory that this replica may use: of its container, or of the machine if there is no limit.",
  );
  const still = gauge(
    "redriver_drains_standing_still",
    "Drains that nothing holds back, and of which no page has ended for three schedules.",
  );
  const { version, consoleUrl } = options;
  gauge("redriver_build_info", "1 for the version that runs.", ["version", "node"]).set(
    { version, node: process.version },
    1,
  );
  const shownAt = gauge(
    "redriver_console_info",
    "1 for the address at which people reach the console; absent if console.url is not set.",
    ["url"],
  );
  if (consoleUrl !== undefined) shownAt.set({ url: consoleUrl }, 1);
  const setQueueGauges = createQueueGauges(registry, options.clock);
  const setIndexGauges = createIndexGauges(registry);
  const readFacts = createScrapeReader<QueueFacts | "refused">(
    () => options.readFacts().catch(toRefused),
    options.clock,
  );
  const readIndexes = createScrapeReader(options.indexGauges, options.clock);

  return {
    events: {
      emit(event) {
        try {
          counters.emit(event);
        } catch {
          // A number that the library refuses, such as NaN, must not stop the work that it reports.
        }
      },
    } satisfies Events,
    registry,
    contentType: registry.contentType,
    adopt: (document: MeasuredDocument) => counters.adopt(document),
    /** The Prometheus text; ends within 2 s and a little, also if Redis hangs. */
    async render() {
      const [facts, indexes] = await Promise.all([readFacts(), readIndexes()]);
      setQueueGauges(facts);
      setIndexGauges(indexes ?? []);
      const memory = options.memory();
      pageBytes.set(memory.pageBytes);
      pageLimitBytes.set(memory.pageLimitBytes);
      limitBytes.set(memory.limitBytes);
      const lines = options.droppedLogLines?.() ?? 0;
      dropped.inc(lines - droppedSoFar);
      droppedSoFar = lines;
      still.set(options.standstills?.() ?? 0);
      return registry.metrics();
    },
  };
}

function toRefused(error: unknown): "refused" {
  if (isRedisAway(error) && !isRedisSilent(error)) return "refused";
  throw error;
}

/** Below every scrape timeout in use (Prometheus: 10 s). */
const readTimeoutMs = 2_000;

/** Reads for a render, within 2 s and one read at a time. Null if it fails or takes longer; never rejects. */
function createScrapeReader<Facts>(read: () => Promise<Facts | null>, clock: Pick<Clock, "sleep">) {
  let underWay: Promise<Facts | null> | null = null;
  return async () => {
    underWay ??= read()
      .catch(() => null)
      .finally(() => (underWay = null));
    const answered = new AbortController();
    const late = sleptFully(clock, readTimeoutMs, answered.signal).then(() => null);
    const facts = await Promise.race([underWay, late]);
    answered.abort();
    return facts;
  };
}

/** Shows exactly the given gauges; only src/job/statistics knows their names. */
function createIndexGauges(registry: Registry): (values: readonly IndexGauge[]) => void {
  const gauges = new Map<string, Gauge>();
  return (values) => {
    for (const gauge of gauges.values()) gauge.reset();
    for (const { name, help, value, labels } of values) {
      const gauge =
        gauges.get(name) ?? new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] });
      gauges.set(name, gauge);
      gauge.set({ ...labels }, value);
    }
  };
}
