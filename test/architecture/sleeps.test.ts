import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readDoc, root } from "../support/markdown.ts";

/**
 * Where time is what is tested, or what the world outside takes. A test that waits for something waits for an
 * event or moves a clock.
 */
const mayTakeTime: Readonly<Record<string, string>> = {
  "dev/test/support/conformance-receiver.ts": "a receiver that is slow to answer",
  "dev/test/support/plain-client.ts": "a service elsewhere that limits its callers",
  "test/e2e/daemon/in-minutes.heavy.test.ts": "commands of a minute are counted",
  "test/e2e/notices/incident.heavy.test.ts": "31 minutes of an incident, at thirty times the speed",
  "test/e2e/operations/brake.heavy.test.ts": "what is braked does not come, for six seconds",
  "test/e2e/truth/truth.heavy.test.ts": "numbers of an incident, compared every 2 s",
  "test/integration/job/listing/too-large-records.heavy.test.ts": "a ledger that is slow to answer",
  "test/integration/job/page/share-batches.test.ts": "rejections that nobody handles, for two seconds",
  "test/integration/job/queue/other-documents.heavy.test.ts": "jobs that take 20 ms",
  "test/integration/job/queue/outage.test.ts": "a job that ends after everything else has closed",
  "test/integration/job/service/connection-pool.test.ts": "the sleep of the clock itself",
  "test/integration/job/service/last-byte.test.ts": "a proxy that keeps bytes back",
  "test/support/forward-proxy.ts": "a proxy that keeps bytes back",
  "test/support/interleavings/turns.ts": "the real clock behind the one that is played",
  "test/support/redis-cluster.ts": "a slot that moves slowly",
  "test/support/redis.ts": "a Redis that did not answer in time",
};

/** Programs of their own, which play hours in real time. */
const programs = /^test\/(bench|fault|image|lanes|memory|pages|pictures|rig|soak)\//;
const sleep = /node:timers\/promises|systemClock\.sleep\(|=> (void )?setTimeout\(/;

it("no test sleeps but those that are listed here", () => {
  const tests = ["dev/test", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  const sleepers = tests.filter(
    (name) => name.endsWith(".ts") && !programs.test(name) && sleep.test(readDoc(name)),
  );
  expect(sleepers.toSorted()).toEqual(Object.keys(mayTakeTime));
});
