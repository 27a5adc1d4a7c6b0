import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeItem } from "../../../../src/job/message/encode-item.ts";
import { packBatches } from "../../../../src/job/message/pack-batches.ts";

const items = fc.array(
  fc.record({
    destination: fc.constant("https://a.example"),
    headers: fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), { maxKeys: 3 }),
    body: fc.string({ unit: "grapheme", maxLength: 40 }),
  }),
  { maxLength: 40 },
);
const limits = fc.record({
  maxCount: fc.integer({ min: 1, max: 10 }),
  maxBytes: fc.integer({ min: 1, max: 600 }),
});

describe("batching", () => {
  it("loses nothing, doubles nothing and keeps the order", () => {
    fc.assert(
      fc.property(items, limits, (items, limits) => {
        const encoded = items.map(encodeItem);
        const flat = packBatches(encoded, limits).flat();
        expect(flat).toHaveLength(encoded.length);
        expect(flat.every((item, index) => item === encoded[index])).toBe(true);
      }),
    );
  });

  it("keeps both limits, but for an item that is too large alone", () => {
    fc.assert(
      fc.property(items, limits, (items, limits) => {
        for (const batch of packBatches(items.map(encodeItem), limits)) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(limits.maxCount);
          const text = `[${batch.map((item) => item.json).join(",")}]`;
          expect(JSON.parse(text)).toHaveLength(batch.length);
          const bytes = new TextEncoder().encode(text).length;
          expect(batch.length === 1 || bytes <= limits.maxBytes).toBe(true);
        }
      }),
    );
  });

  it("wastes no room: no batch would have taken the first item of the next", () => {
    fc.assert(
      fc.property(items, limits, (items, limits) => {
        const batches = packBatches(items.map(encodeItem), limits);
        for (const [index, batch] of batches.slice(0, -1).entries()) {
          const next = batches[index + 1]![0]!;
          const text = `[${[...batch, next].map((item) => item.json).join(",")}]`;
          const full = batch.length === limits.maxCount;
          expect(full || Buffer.byteLength(text) > limits.maxBytes).toBe(true);
        }
      }),
    );
  });
});
