import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readDoc, root } from "../support/markdown.ts";

/**
 * Where time is what is tested, or what the world outside takes. A test that waits for something waits for an
 * event or moves a clock.
 */
const mayTakeTime: Readonly<Record<string, string>> = {
  "e2e/redis/idle-cost.heavy.test.ts": "commands of half a minute are counted",
  "integration/emulator/delivery-waits.test.ts": "a receiver that is slow to answer",
  "integration/emulator/retry.test.ts": "a receiver that is slow to answer",
  "integration/queue/other-documents.test.ts": "jobs that take 20 ms",
  "integration/queue/outage.test.ts": "a job that ends after everything else has closed",
  "integration/redrive/listing/too-large-records.test.ts": "a ledger that is slow to answer",
  "integration/redrive/page/fill-batches.test.ts": "rejections that nobody handles, for two seconds",
  "integration/redrive/source/calls-in-turn.test.ts":
    "calls per second, and replicas that speak once a second",
  "integration/service/connection-pool.test.ts": "the sleep of the clock itself",
  "integration/service/through-proxy.test.ts": "a proxy that keeps bytes back",
  "integration/store/audit/acts.test.ts": "an audit that is slow to write",
  "support/conformance-receiver.ts": "a receiver that is slow to answer",
  "support/forward-proxy.ts": "a proxy that keeps bytes back",
  "support/interleavings/turns.ts": "the real clock behind the one that is played",
  "support/plain-client.ts": "a service elsewhere that limits its callers",
  "support/redis-cluster.ts": "a slot that moves slowly",
  "support/redis.ts": "a Redis that did not answer in time",
};

/** Programs of their own, which play hours in real time. */
const programs = /^(bench|fault|image|lanes|memory|pages|pictures|rig|soak)\//;
const sleep = /node:timers\/promises|systemClock\.sleep\(|=> (void )?setTimeout\(/;

it("no test sleeps but those that are listed here", () => {
  const sleepers = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !programs.test(name) && sleep.test(readDoc(`test/${name}`)),
  );
  expect(sleepers.toSorted()).toEqual(Object.keys(mayTakeTime));
});
