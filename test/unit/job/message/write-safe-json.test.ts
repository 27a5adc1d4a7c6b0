import { describe, expect, it } from "vitest";
import { isNestedTooDeep, maxNestedLevels, toSafeJson } from "../../../../src/job/message/write-safe-json.ts";
import { hashRecord } from "../../../../src/people/plan/plan-hashes.ts";
import { rawRecord } from "../../../support/letters.ts";

/** So many levels. */
function nested(levels: number, wrap: (inner: unknown) => unknown = (inner) => [inner]): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}

/** What `call` answers with so much less of the stack left. */
function under<Answer>(frames: number, call: () => Answer): Answer {
  return frames === 0 ? call() : under(frames - 1, call);
}

describe("nesting", () => {
  it("is counted to the level", () => {
    expect(isNestedTooDeep(nested(maxNestedLevels))).toBe(false);
    expect(isNestedTooDeep(nested(maxNestedLevels + 1))).toBe(true);
    expect(isNestedTooDeep("text")).toBe(false);
    expect(isNestedTooDeep(null)).toBe(false);
  });

  it("is looked at without recursion", () => {
    expect(isNestedTooDeep(nested(1_000_000))).toBe(true);
    expect(isNestedTooDeep(Array.from({ length: 300_000 }, () => [0]))).toBe(false);
  });
});

const depths = [100, maxNestedLevels, 1_000, 2_000, 4_000, 4_100, 4_140, 5_000, 8_000, 20_000];

it.each(depths)(
  "a record of %d levels has one hash, and is shown without what cannot be written",
  (depth) => {
    const record = rawRecord({ unheardOf: nested(depth) });
    const hash = hashRecord(record);
    for (const frames of [10, 1_000, 4_000]) expect(under(frames, () => hashRecord(record))).toBe(hash);
    const shown = JSON.parse(toSafeJson({ drain: "orders", record })) as {
      readonly record: Readonly<Record<string, unknown>>;
    };
    expect(shown.record).toMatchObject({ dlqId: record["dlqId"], body: record["body"] });
    expect(["string", "object"]).toContain(typeof shown.record["unheardOf"]);
  },
);
