import { expect, test } from "vitest";
import type { EncodedItem } from "../../../../src/job/message/encode-item.ts";
import { textOfEncoded } from "../../../support/text-of-encoded.ts";
import { createBatchBody } from "../../../../src/job/service/batch-body-last-byte.ts";
import { createSpareBuffers, spareBytes } from "../../../../src/job/service/spare-buffers.ts";

const atOnce = (): Promise<void> => Promise.resolve();
const never = (): void => expect.unreachable("withheld");

const spare = createSpareBuffers();
const bodyOf = (items: readonly EncodedItem[], lastByteAllowed: () => boolean) =>
  createBatchBody(items, lastByteAllowed, spare);

async function read(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  // Copies, because the next chunk may be in the same buffer.
  for await (const chunk of chunks) all.push(Buffer.from(chunk));
  return Buffer.concat(all).toString();
}

const large = ['\\"😀'.repeat(400_000), "\u0001".repeat(300_000), `x${"😀".repeat(500_000)}`].map(
  (text): EncodedItem => {
    const json = JSON.stringify(text);
    return ['{"body":"', { text, bytes: Buffer.byteLength(json) - 2 }, '"}'];
  },
);
const pieces: EncodedItem[] = [
  [Buffer.from('{"a":"ü'), "😀", Buffer.from('"}')],
  [Buffer.alloc(2_000_000, "b"), "€".repeat(300_000), Buffer.alloc(0), Buffer.alloc(786_431, "c")],
  "text",
  [Buffer.from("last")],
];
test.each([
  ["one item", ['{"destination":"https://a.example"}']],
  ["several items", ['{"a":1}', '{"b":"ü€😀"}', '{"c":3}']],
  ["items larger than a buffer", [`{"a":"${"x".repeat(2_000_000)}"}`, `{"b":"${"é".repeat(700_000)}"}`]],
  ["pairs of surrogates at each end of a buffer", ["😀".repeat(500_000), `x${"😀".repeat(500_000)}`]],
  ["an item that nearly fills a buffer", ["€".repeat(262_100), "€".repeat(262_144), "€".repeat(40)]],
  ["items in pieces, of bytes and of text", pieces],
  ["large texts that become JSON on the way", large],
  ["many items", Array.from({ length: 100 }, (_, index) => `{"n":${index},"body":"${"y".repeat(5_000)}"}`)],
] satisfies [string, EncodedItem[]][])(
  "%s become one JSON array of the announced length",
  async (_name, items) => {
    const body = bodyOf(items, () => true);
    const length = body.byteLength();
    const text = await read(body.bytes(atOnce, never));
    // Not `toBe(text)`: a difference of megabytes says nothing.
    expect(text === `[${items.map(textOfEncoded).join(",")}]`).toBe(true);
    expect(Buffer.byteLength(text)).toBe(length);
    expect(body.sent()).toBe("all");
  },
);

test("a body can be read once, so that nothing can send it again", async () => {
  const body = bodyOf(["{}"], () => true);
  await read(body.bytes(atOnce, never));
  await expect(read(body.bytes(atOnce, never))).rejects.toThrow("only once");
});

test("a buffer is used by one body at a time, and again once its bytes have left", async () => {
  const own = createSpareBuffers();
  const first = createBatchBody(['"first"'], () => true, own);
  const second = createBatchBody(['"second"'], () => true, own);
  const [ofFirst, ofSecond] = [first, second].map((body) =>
    body.bytes(atOnce, never)[Symbol.asyncIterator](),
  );
  const seen = [await ofFirst?.next(), await ofSecond?.next()].map((step) =>
    Buffer.from(step?.value as Uint8Array),
  );
  expect(seen.map(String)).toEqual(['["first"', '["second"']);
  const [one, other] = [own.take(), own.take()];
  for (const buffer of [one, other]) own.giveBack(buffer);
  await ofFirst?.next();
  expect(String((await ofFirst?.next())?.value)).toBe("undefined");
  // The first body's buffer, on top of the two that were given back.
  const third = own.take();
  expect([one, other]).not.toContain(third);
  expect(third.toString("latin1", 0, 8)).toBe('["first"');
});

test("a buffer is not filled again before its bytes have left", async () => {
  const flushes: (() => void)[] = [];
  const flushed = (): Promise<void> => new Promise((resolve) => void flushes.push(resolve));
  const body = bodyOf(["a".repeat(spareBytes), "b".repeat(spareBytes)], () => true);
  const iterator = body.bytes(flushed, never)[Symbol.asyncIterator]();
  const first = (await iterator.next()).value as Uint8Array;
  const before = Buffer.from(first);
  const second = iterator.next();
  await new Promise((resolve) => setImmediate(resolve));
  expect(before.equals(first)).toBe(true);
  flushes.shift()?.();
  await second;
  expect(before.equals(first)).toBe(false);
});
