import { describe, expect, it } from "vitest";
import { decodeItem, encodeItem, inSeries, toItemJson } from "../../../../src/job/message/encode-item.ts";
import type { BatchItem } from "../../../../src/job/message/dead-letter.ts";
import { deduplicationIdOf } from "../../../support/letters.ts";
import { textOfEncoded } from "../../../support/text-of-encoded.ts";

// Of small items test/property/job/message/item-bytes.test.ts compares the bytes.
describe("an item's JSON", () => {
  const idHeader = "Upstash-Deduplication-Id";
  const itemOf = (rest: Partial<BatchItem>, id: string): BatchItem => ({
    destination: `https://a.example/?"${idHeader}":"`,
    headers: { A: `"${idHeader}":"x"`, [idHeader]: id, B: "2" },
    ...rest,
  });
  const textsOf = (rest: Partial<BatchItem>) => {
    const ids = ["redriver-1-0", "redriver-1-0-999"].map(deduplicationIdOf);
    const json = toItemJson(itemOf(rest, "redriver-1-0-999"), "Upstash-");
    const texts = ids.map((id) => JSON.stringify(itemOf(rest, id)));
    const encoded = encodeItem(itemOf(rest, "redriver-1-0-999"));
    const inSeriesOf = [1, 999].map((suffix) => inSeries(json, suffix));
    const decoded = [...inSeriesOf, encoded.json].map((one) => JSON.stringify(decodeItem(one)));
    return {
      made: [
        json.bytes,
        ...inSeriesOf.map(textOfEncoded),
        encoded.bytes,
        textOfEncoded(encoded.json),
        ...decoded,
      ],
      is: [
        Buffer.byteLength(texts[1]!),
        ...texts,
        Buffer.byteLength(texts[1]!),
        texts[1],
        ...texts,
        texts[1],
      ],
    };
  };

  it("is its encoding under any deduplication id, also if a large body is counted piece by piece", () => {
    // Cut at 65,536 in every place of a character of two halves, between a lone half and others, and with
    // escapes.
    for (const piece of ["a", "ä", "日", "😀", '\\"\n', "\ud83d", "a😀", "ab😀\u0001", "\ud83d😀"]) {
      for (const before of [0, 1, 2, 3]) {
        const { made, is } = textsOf({ body: "x".repeat(before) + piece.repeat(70_000) });
        // Not `toEqual`: a difference of megabytes says nothing.
        expect(made.map((one, at) => one === is[at])).toEqual(is.map(() => true));
      }
    }
  });
});
