import type { ItemChanges } from "../../../../src/job/message/item-changes.ts";
import type { JsonValue } from "../../../../src/job/message/json-value.ts";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { describeRebuild } from "../../../../src/job/message/describe-rebuild.ts";
import { readLineage, nextLineage } from "../../../../src/job/message/lineage.ts";
import { checkFidelity } from "../../../../src/job/message/fidelity.ts";
import type { RawRecord } from "../../../../src/job/message/dead-letter.ts";
import { isNonRetryable, retryAfterOf } from "../../../../src/job/message/retry-after.ts";
import { parseRecord } from "../../../../src/job/message/parse-record.ts";
import { rawRecord, writeLineage } from "../../../support/letters.ts";
import { rebuildLetter } from "../../../support/rebuilt.ts";
import { words } from "../../../support/words.ts";

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom("https://a.example/x?q=1", "a,b", "\r\n", "\0", "\ud800", "__proto__", "x".repeat(10_000)),
);
const names = fc.oneof(
  fc.constantFrom("X-A", "x-a", "Digest", "__proto__", "X-Redriver", "Upstash-Delay"),
  text,
);
const mostly = <T>(value: fc.Arbitrary<T>, ...good: T[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: value });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 });
const removable = <T>(value: fc.Arbitrary<T>) => maybe(fc.option(value));
const urls = mostly(text, "https://a.example/x?q=1", "http://b.example:81");
const texts = mostly(text, "one", "X-Two", "3");
const headers = fc.dictionary(mostly(names, "X-A", "Digest", "X-B"), fc.array(texts, { maxLength: 2 }), {
  maxKeys: 2,
});

const allChanges = fc.record({
  destination: maybe(fc.oneof(urls, fc.record({ host: texts, path: mostly(text, "/x") }))),
  queue: removable(texts),
  method: maybe(texts),
  headers: maybe(fc.dictionary(names, fc.option(texts), { maxKeys: 3 })),
  body: maybe(
    fc.oneof(
      fc.jsonValue().map((value) => ({ kind: "merge" as const, value: value as JsonValue })),
      fc
        .record({ op: fc.constant("replace" as const), path: mostly(text, ""), value: fc.constant(1) })
        .map((one) => ({
          kind: "patch" as const,
          operations: [one],
        })),
    ),
  ),
  retries: maybe(fc.nat()),
  retryDelay: removable(texts),
  timeoutMs: maybe(fc.integer()),
  callback: removable(urls),
  failureCallback: removable(urls),
  labels: maybe(fc.array(texts, { maxLength: 2 })),
  flowControl: removable(fc.record({ key: texts, rate: fc.nat(), periodMs: fc.nat() })),
});
const changes = allChanges.map(
  (all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as ItemChanges,
);

const hostileFields = fc.dictionary(
  fc.constantFrom(
    ...words(`
      dlqId messageId url createdAt method header body bodyBase64 maxRetries notBefore callback callbackHeader
      failureCallback failureCallbackHeader queueName label labels flowControlKey rate period parallelism topicName
      retryDelayExpression responseStatus responseHeader responseBody workflowRunId __proto__ constructor toString
    `),
  ),
  fc.oneof(
    fc.anything({ withNullPrototype: true, withDate: true, withMap: true, withBigInt: true }),
    fc.constantFrom<unknown>("x".repeat(100_000), "\0", "\ud800", "__proto__", -0, 2 ** 53),
  ),
);

const records = fc
  .record(
    {
      url: urls,
      method: texts,
      header: headers,
      body: fc.oneof(fc.json(), text),
      queueName: texts,
      callback: urls,
      callbackHeader: headers,
      failureCallback: urls,
      labels: fc.array(texts, { maxLength: 2 }),
      flowControlKey: texts,
      rate: fc.nat(),
    },
    { requiredKeys: [] },
  )
  .map(rawRecord);
const anyRecord: fc.Arbitrary<RawRecord> = fc.oneof(
  { weight: 3, arbitrary: records },
  {
    weight: 1,
    arbitrary: fc
      .tuple(hostileFields, fc.boolean())
      .map(([odd, whole]) => (whole ? { ...odd, ...rawRecord() } : odd)),
  },
);

it("any rule's change of any record gives an item or a reason without throwing, the same each time, and can be described", () => {
  let items = 0;
  fc.assert(
    fc.property(anyRecord, changes, fc.nat({ max: 2 }), (raw, change, attempt) => {
      const parsed = parseRecord(raw);
      if (parsed.kind === "unusable") return;
      const { letter } = parsed;
      checkFidelity(letter, raw);
      isNonRetryable(letter);
      retryAfterOf(letter);
      readLineage(letter, ["key"]);
      const lineage = nextLineage(letter, { kind: "none" }, attempt);
      const rebuild = () =>
        rebuildLetter(letter, change, {
          signLineage: (body) => writeLineage(lineage, body, "key"),
          attempt,
          delayMs: 1_000,
        });
      const rebuilt = rebuild();
      expect(rebuild()).toEqual(rebuilt);
      if (rebuilt.kind === "park") return;
      items++;
      const { item } = rebuilt;
      expect(change.body === undefined ? (item.body ?? "") : letter.body).toBe(letter.body);
      for (const [name, value] of Object.entries(item.headers)) expect(name + value).not.toMatch(/[\r\n\0]/);
      const delivered = rawRecord({
        body: item.body ?? "",
        header: { "X-Redriver": [item.headers["Upstash-Forward-X-Redriver"]] },
      });
      const back = parseRecord(delivered);
      expect(back.kind === "letter" ? readLineage(back.letter, ["key"]).kind : "").toBe("come-back");
      for (const show of ["masked", "content"] as const) {
        for (const { what, before, after } of describeRebuild(letter, item, {
          headerPrefix: "Upstash-",
          show,
        })) {
          expect(`${what}${before}${after}`).not.toMatch(/[\p{Cc}\p{Cs}]/u);
          expect(`${what}${before}${after}`.length).toBeLessThan(5_000);
        }
      }
    }),
    { numRuns: 900 },
  );
  expect(items).toBeGreaterThan(50);
});
