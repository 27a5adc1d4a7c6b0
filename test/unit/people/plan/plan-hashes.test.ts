import { describe, expect, it } from "vitest";
import type { BatchItem } from "../../../../src/job/message/dead-letter.ts";
import { hash, hashItem, hashRecord } from "../../../../src/people/plan/plan-hashes.ts";
import { rawRecord } from "../../../support/letters.ts";

const itemOf = (id: string, header: string): BatchItem => ({
  destination: "https://a.example.com/",
  headers: { "Upstash-Deduplication-Id": id, "Upstash-Forward-X-Redriver": id, "Upstash-Retries": header },
});

describe("hashes", () => {
  it("do not ask for the order of a record's fields or headers, and for everything else", () => {
    const raw = rawRecord({ header: { A: ["1"], B: ["2"] }, body: "x" });
    const turned = Object.fromEntries(
      Object.entries({ ...raw, header: { B: ["2"], A: ["1"] } }).toReversed(),
    );
    expect(hashRecord(turned)).toBe(hashRecord(raw));
    expect(hashRecord({ ...raw, body: "y" })).not.toBe(hashRecord(raw));
    expect(hashRecord({ ...raw, header: { A: ["1"], B: ["3"] } })).not.toBe(hashRecord(raw));
    expect(hashRecord({ ...raw, unknown: 1 })).not.toBe(hashRecord(raw));
  });

  it("of a large body are those of its whole JSON", () => {
    const item = { ...itemOf("a", "3"), body: `${"x".repeat(65_535)}😀\\"${"日".repeat(100_000)}` };
    const { destination, body, headers } = item;
    const retries = { "Upstash-Retries": headers["Upstash-Retries"] };
    const whole = JSON.stringify({ body, destination, headers: retries });
    expect(hashItem(item, "Upstash-")).toBe(hash(whole));
  });

  it("of an item leave out what differs between two attempts at the same", () => {
    expect(hashItem(itemOf("a", "3"), "Upstash-")).toBe(hashItem(itemOf("b", "3"), "Upstash-"));
    expect(hashItem(itemOf("a", "3"), "Upstash-")).not.toBe(hashItem(itemOf("a", "2"), "Upstash-"));
  });

  it("are made of a record that is nested deeper than JSON can be written", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(hashRecord(rawRecord({ deep }))).toHaveLength(22);
  });
});
