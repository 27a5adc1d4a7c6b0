import { scalarFields, seriesFields } from "../../src/job/contracts/index-statistics.ts";
import type { DrainName } from "../../src/job/contracts/ids.ts";
import { toGauges } from "../../src/job/statistics/index-gauges.ts";
import { parseStatistics } from "../../src/job/statistics/parse-index-statistics.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { drainFacts, eu, facts, lanes, memory, recordedFailure } from "./metrics.ts";

/** The metrics page of a replica that knows everything of a source with so many drains: every series it can have. */
export async function wholeMetricsPage(drainCount = 1, indexCount = 1): Promise<string> {
  const drains = names("drain", drainCount) as readonly DrainName[];
  const indexes = names("index", indexCount);
  const guards = [{ index: indexes[0] ?? "", effect: "open" }] as const;
  const kinds = names("failure", 100);
  const [standing] = drainFacts.failures;
  const reasons = { ...drainFacts.reasons, due: { "day-limit": 3 } };
  const destinations = facts.drains.flatMap(({ destinations: all }) => all);
  const [source] = facts.sources;
  const [lane] = lanes.lanes;
  if (source === undefined || lane === undefined || standing === undefined) {
    throw new Error("facts without a source, a lane or a failure");
  }
  const metrics = createMetrics({
    version: "0",
    consoleUrl: "https://redriver.example.com",
    clock: { sleep: () => new Promise(() => undefined), now: () => recordedFailure.firstMetAt },
    memory,
    indexGauges: async () => indexes.flatMap((index) => toGauges({ index, readAt: 1, summary: statistics })),
    readFacts: async () => ({
      ...facts,
      drains: drains.map((drain) => ({
        drain,
        source: eu,
        acting: true,
        guards,
        selectsEverything: false,
        retentionMs: 1,
        stillCounting: false,
        facts: { ...drainFacts, reasons, failures: kinds.map((id) => ({ ...standing, id })) },
        destinations,
      })),
      sources: [
        {
          ...source,
          failures: kinds.map((id) => ({ ...recordedFailure, id })),
          lanes: { ...lanes, lanes: names("https://host", 20).map((origin) => ({ ...lane, origin })) },
        },
      ],
    }),
  });
  metrics.adopt({
    hash: "h",
    sources: [{ id: eu }],
    drains: drains.map((name) => ({ name, source: { id: eu }, rules: [{ name: "outage" }] })),
    indexes: indexes.map((name) => ({ name })),
  });
  const calls = { list: 1, batch: 1, delete: 1 };
  metrics.events.emit({ type: "archive:volume-seen", verdict: "fit", complaint: "" });
  metrics.events.emit({ type: "document:adopted", hash: "h", before: null, at: 1, warnings: [] });
  metrics.events.emit({
    type: "source:calls",
    source: eu,
    inFlight: calls,
    limits: calls,
    dlqPerSecond: null,
  });
  return metrics.render();
}

/** The series of a page: redriver's own, and those of the client library, of which each line of Node has others. */
export function seriesOf(page: string): {
  readonly own: readonly string[];
  readonly others: readonly string[];
} {
  const series = page.split("\n").filter((line) => /^\w/.test(line));
  return {
    own: series.filter((line) => line.startsWith("redriver_")),
    others: series.filter((line) => !line.startsWith("redriver_")),
  };
}

const answer = {
  ...Object.fromEntries(scalarFields.map((field) => [field, 1])),
  ...Object.fromEntries(seriesFields.map((field) => [field, [{ x: "2025-10-19 18:33:06 +0000 UTC", y: 1 }]])),
  days: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
};
const parsed = parseStatistics(answer);
if (parsed.kind === "unreadable") throw new Error("the answer does not parse");
const { statistics } = parsed;

function names(of: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${of}-${index}`);
}
