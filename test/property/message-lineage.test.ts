import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLineage, writeLineage, type Lineage } from "../../src/message/lineage.ts";
import { dlqIdOf, letterOf, messageIdOf } from "../support/letters.ts";

const lineages: fc.Arbitrary<Lineage> = fc.record({
  attempt: fc.integer({ min: 1, max: 1_000 }),
  rootId: fc.string().map(messageIdOf),
  rootCreatedAt: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  rootMaxRetries: fc.option(fc.nat()),
  rootDestination: fc.string({ unit: "grapheme" }),
  parentDlqId: fc.string().map(dlqIdOf),
});
const bodies = fc.string({ unit: "grapheme" });
const key = "the key";

const read = (header: string, body: string) =>
  readLineage(letterOf({ body, header: { "X-Redriver": [header] } }), ["another key", key]);

function flipBit(bytes: Buffer, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  const at = Math.floor(bit / 8) % flipped.length;
  flipped[at] = flipped[at]! ^ (1 << (bit % 8));
  return flipped;
}

describe("a lineage header", () => {
  it("reads back as it was written", () => {
    fc.assert(
      fc.property(lineages, bodies, (lineage, body) => {
        expect(read(writeLineage(lineage, body, key), body)).toEqual({ kind: "come-back", lineage });
      }),
    );
  });

  it("is no come-back with any bit of its text flipped", () => {
    fc.assert(
      fc.property(lineages, bodies, fc.nat(), (lineage, body, bit) => {
        const flipped = flipBit(Buffer.from(writeLineage(lineage, body, key)), bit).toString("latin1");
        expect(read(flipped, body).kind).toBe("untrusted");
      }),
      { numRuns: 500 },
    );
  });

  it("is no come-back with any character replaced by another of its alphabet", () => {
    const lineage: Lineage = {
      attempt: 1,
      rootId: messageIdOf("msg_1"),
      rootCreatedAt: 1,
      rootMaxRetries: null,
      rootDestination: "https://a.example",
      parentDlqId: dlqIdOf("1-0"),
    };
    const header = writeLineage(lineage, "body", key);
    const believed: string[] = [];
    for (let at = 3; at < header.length; at++) {
      for (const other of "ABwxyz089-_") {
        if (header[at] === other || header[at] === ".") continue;
        const changed = header.slice(0, at) + other + header.slice(at + 1);
        if (read(changed, "body").kind !== "untrusted") believed.push(changed);
      }
    }
    expect(believed).toEqual([]);
  });

  it("is no come-back with any bit of the body flipped", () => {
    const bytes = fc
      .uint8Array({ minLength: 1, maxLength: 50 })
      .map((array) => Buffer.from(array.map((b) => b & 0x7f)));
    fc.assert(
      fc.property(lineages, bytes, fc.nat({ max: 1_000 }), (lineage, body, at) => {
        const header = writeLineage(lineage, body.toString("latin1"), key);
        const flipped = flipBit(body, at).toString("latin1");
        expect(read(header, flipped)).toEqual({ kind: "inherited" });
      }),
    );
  });
});
