import type { ItemChanges } from "../../../../src/job/message/item-changes.ts";
import type { JsonValue } from "../../../../src/job/message/json-value.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeRebuild } from "../../../../src/job/message/describe-rebuild.ts";
import { readLineage, nextLineage } from "../../../../src/job/message/lineage.ts";
import { parseRecord } from "../../../../src/job/message/parse-record.ts";
import { rawRecord, writeLineage } from "../../../support/letters.ts";
import { rebuildLetter } from "../../../support/rebuilt.ts";

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
const words = mostly(text, "one", "X-Two", "3");
const headers = fc.dictionary(mostly(names, "X-A", "Digest", "X-B"), fc.array(words, { maxLength: 2 }), {
  maxKeys: 2,
});

const allChanges = fc.record({
  destination: maybe(fc.oneof(urls, fc.record({ host: words, path: mostly(text, "/x") }))),
  queue: removable(words),
  method: maybe(words),
  headers: maybe(fc.dictionary(names, fc.option(words), { maxKeys: 3 })),
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
  retryDelay: removable(words),
  timeoutMs: maybe(fc.integer()),
  callback: removable(urls),
  failureCallback: removable(urls),
  labels: maybe(fc.array(words, { maxLength: 2 })),
  flowControl: removable(fc.record({ key: words, rate: fc.nat(), periodMs: fc.nat() })),
});
const changes = allChanges.map(
  (all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as ItemChanges,
);

const records = fc
  .record(
    {
      url: urls,
      method: words,
      header: headers,
      body: fc.oneof(fc.json(), text),
      queueName: words,
      callback: urls,
      callbackHeader: headers,
      failureCallback: urls,
      labels: fc.array(words, { maxLength: 2 }),
      flowControlKey: words,
      rate: fc.nat(),
    },
    { requiredKeys: [] },
  )
  .map(rawRecord);

describe("any rule's change of any record", () => {
  it("gives an item or a reason without throwing, the same each time, and can be described", () => {
    let items = 0;
    fc.assert(
      fc.property(records, changes, fc.nat({ max: 2 }), (raw, change, attempt) => {
        const parsed = parseRecord(raw);
        if (parsed.kind === "unusable") return;
        const { letter } = parsed;
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
        for (const [name, value] of Object.entries(item.headers))
          expect(name + value).not.toMatch(/[\r\n\0]/);
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
      { numRuns: 600 },
    );
    expect(items).toBeGreaterThan(50);
  });
});
