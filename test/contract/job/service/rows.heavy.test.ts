import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/**
 * The rows of the two documents by their groups, which are groups of tests: the name of at least one test of a group
 * begins with each of its rows.
 */
const rows: Readonly<Record<string, string>> = {
  "2.1 batch message": "destination · queue · headers · body · Service-Delay · Service-Forward-<name>",
  "2.2 batch response item": "Message sent to a URL Group · Message sent to a single URL or a queue",
  "2.3 DLQ message":
    "messageId · dlqId · url · topicName · endpointName · method · header · body · bodyBase64 · maxRetries · notBefore · " +
    "createdAt · callback · failureCallback · scheduleId · callerIP · queueName · label · labels · flowControlKey · rate · " +
    "period · parallelism · responseStatus · responseHeader · responseBody · responseBodyBase64 · state · topicId",
  "2.4 statistics datapoint": "x · y",
  "4.1 batch publish": "Method and path · Request header Content-Type · Request body · Response body",
  "4.2 response": "Method and path · cursor · messages",
  "4.2 query parameters":
    "cursor · messageId · url · topicName · scheduleId · queueName · fromDate · toDate · responseStatus · callerIp · " +
    "label · count",
  "4.2 filter rules": "1 · 2 · 3",
  "4.3 response": "Method and path · cursor · deleted",
  "4.3 query parameters":
    "dlqIds · flowControlKey · count · cursor · messageId · url · topicName · scheduleId · queueName · fromDate · toDate · " +
    "responseStatus · callerIp · label",
  "4.4 request": "id · period",
  "4.4 response fields":
    "pending_index_count · current_vector_count · daily_query_count · daily_update_count · monthly_query_count · " +
    "monthly_update_count · monthly_bandwidth_usage · storage_usage · monthly_cost · daily_rerank_count · " +
    "monthly_rerank_count · days",
  "4.4 response series":
    "daily_update_requests · daily_query_requests · daily_bandwidths · daily_rerank_requests · query_throughput · " +
    "update_throughput · query_latency_mean · query_latency_99 · update_latency_mean · update_latency_99 · " +
    "embeds_latency_mean · embeds_latency_99 · rerank_latency_mean · rerank_latency_99 · vector_count · data_size",
  "5 authentication": "Batch publish, DLQ list, DLQ bulk delete · Search index statistics",
  "8 limits":
    "count maximum, DLQ list · count maximum, DLQ bulk delete · Datapoints per series · " +
    "Datapoints per series for period 30d",
  "remote contract: message headers":
    "Content-Type · Method · Forward-<name> · Retries · Retry-Delay · Delay · Not-Before · Timeout · Callback · " +
    "Failure-Callback · Label · Flow-Control-Key · Flow-Control-Value · Deduplication-Id · Content-Based-Deduplication · " +
    "Redact-Fields",
};

/**
 * Names of tests by the `describe` they stand in. A name is a string that begins a line, or is what `test` or
 * a table row begins with.
 */
function testNames(): Map<string, string[]> {
  const folder = new URL("./", import.meta.url);
  const groups = new Map<string, string[]>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".test.ts"))) {
    const [, ...parts] = readFileSync(new URL(file, folder), "utf8").split(/^describe\(/m);
    for (const part of parts) {
      const title = /^"([^"]+)"/.exec(part)?.[1] ?? "";
      const names = part.matchAll(/^ *(?:test(?:\.\w+\(.*\))?\(|\[)?"([^"\n]+)"/gm);
      groups.set(title, [...(groups.get(title) ?? []), ...[...names].slice(1).map(([, name]) => name!)]);
    }
  }
  return groups;
}

const names = testNames();

test.each(Object.entries(rows))("each row of %s has a test named after it", (group, text) => {
  const tests = names.get(group) ?? [];
  const missing = text
    .split(" · ")
    .filter(
      (row) => !tests.some((name) => [row, `${row}:`, `${row},`].some((start) => name.startsWith(start))),
    );
  expect(missing).toEqual([]);
});
