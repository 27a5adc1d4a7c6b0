import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { startEmulator } from "../../../../dev/emulator/index.ts";
import type { RawRecord } from "../../../../src/job/message/dead-letter.ts";
import { createSelectMatcher, type Filters, type Select } from "../../../../src/job/message/select.ts";
import { toListPath } from "../../../../src/job/service/request-paths.ts";
import { casesOf } from "../../../support/fuzzing.ts";

/** Few values, so that matches are common; prototype names and an absent field among them. */
const word = fc.constantFrom("orders", "refunds", "constructor", "a b", "日本");
const url = fc.constantFrom(
  "https://api.example.com/a,b",
  "https://api.example.com/",
  "http://old.example.com",
);
const status = fc.constantFrom(0, 404, 500, 503);
const listOf = <Value>(value: fc.Arbitrary<Value>) => fc.uniqueArray(value, { minLength: 1, maxLength: 3 });

const filters = {
  messageId: word,
  url: listOf(url),
  topicName: listOf(word),
  scheduleId: listOf(word),
  queueName: listOf(word),
  responseStatus: listOf(status),
  callerIp: listOf(word),
  label: listOf(word),
  flowControlKey: listOf(word),
} satisfies Record<keyof Filters, fc.Arbitrary<unknown>>;
/** At most two filters: more of them hardly ever hold together. */
const select = fc
  .tuple(fc.record(filters), fc.subarray(Object.keys(filters) as (keyof Filters)[], { maxLength: 2 }))
  .map(([all, kept]): Select => Object.fromEntries(kept.map((name) => [name, all[name]])));

const record: fc.Arbitrary<RawRecord> = fc.record(
  {
    messageId: word,
    url,
    topicName: fc.oneof(word, fc.constant(null)),
    scheduleId: word,
    queueName: word,
    responseStatus: status,
    callerIP: word,
    label: word,
    flowControlKey: word,
    labels: fc.array(fc.oneof(word, fc.integer()), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

const recordCount = 90;

/** No HTTP answer is listed as 0 or not at all (remote-contract.md); the emulator shows 0. */
function asListed({ responseStatus, ...others }: RawRecord): RawRecord {
  return responseStatus === 0 ? others : { ...others, responseStatus };
}

test("a record is selected exactly where the emulator lists it", async () => {
  const emulator = await startEmulator({});
  onTestFinished(() => emulator.close());
  const raws = fc.sample(record, { numRuns: recordCount, seed: 1 }).map((fields, index) => ({
    ...fields,
    dlqId: `1700000000000-${index}`,
  }));
  emulator.dlq.seed(raws);
  const isListed = async (selected: Select): Promise<ReadonlySet<unknown>> => {
    // One page holds them all.
    const path = toListPath("", { select: selected, count: 100 });
    const headers = { authorization: `Bearer ${emulator.token}` };
    const answer = await fetch(emulator.url + path, { headers });
    const { messages } = (await answer.json()) as { messages: readonly RawRecord[] };
    for (const listed of messages) stored.set(listed["dlqId"], asListed(listed));
    return new Set(messages.map(({ dlqId }) => dlqId));
  };
  /** As they are listed: the emulator may fill in fields of what is seeded. */
  const stored = new Map<unknown, RawRecord>();
  expect((await isListed({})).size).toBe(recordCount);
  let selectedAtAll = 0;
  await fc.assert(
    fc.asyncProperty(select, async (selected) => {
      const listed = await isListed(selected);
      const matches = createSelectMatcher(selected);
      const ours = [...stored.values()].filter(matches).map(({ dlqId }) => dlqId);
      if (listed.size > 0 && listed.size < recordCount) selectedAtAll += 1;
      expect(new Set(ours)).toEqual(listed);
    }),
    { numRuns: casesOf(500) },
  );
  // Both answers have been asked for, often.
  expect(selectedAtAll).toBeGreaterThan(casesOf(500) / 5);
});
