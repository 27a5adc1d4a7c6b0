import * as fc from "fast-check";
import { expect, it } from "vitest";
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

const bytesOf = (batch: readonly { readonly json: string }[]): number =>
  Buffer.byteLength(`[${batch.map(({ json }) => json).join(",")}]`);

it("batches lose and double nothing, keep their order and both limits, and waste no room", () => {
  fc.assert(
    fc.property(items, limits, (items, limits) => {
      const encoded = items.map((item) => encodeItem(item) as { json: string; bytes: number });
      const batches = packBatches(encoded, limits);
      expect(batches.flat()).toEqual(encoded);
      for (const [index, batch] of batches.entries()) {
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length).toBeLessThanOrEqual(limits.maxCount);
        // An item that is too large alone travels alone.
        expect(batch.length === 1 || bytesOf(batch) <= limits.maxBytes).toBe(true);
        const next = batches[index + 1]?.[0];
        const isFull = next === undefined || batch.length === limits.maxCount;
        expect(isFull || bytesOf([...batch, next]) > limits.maxBytes).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});
