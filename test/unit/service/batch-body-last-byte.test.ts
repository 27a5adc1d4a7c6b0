import { expect, test } from "vitest";
import { createBatchBody } from "../../../src/service/batch-body-last-byte.ts";

const atOnce = (): Promise<void> => Promise.resolve();
const never = (): void => expect.unreachable("withheld");

async function read(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

test.each([
  ["one item", ['{"destination":"https://a.example"}']],
  ["several items", ['{"a":1}', '{"b":"ü€😀"}', '{"c":3}']],
  ["items larger than a chunk", [`{"a":"${"x".repeat(200_000)}"}`, `{"b":"${"é".repeat(70_000)}"}`]],
  ["many items", Array.from({ length: 100 }, (_, index) => `{"n":${index},"body":"${"y".repeat(5_000)}"}`)],
])("%s become one JSON array of the announced length", async (_name, items) => {
  const body = createBatchBody(items, () => true);
  const text = await read(body.bytes(atOnce, never));
  expect(text).toBe(`[${items.join(",")}]`);
  expect(Buffer.byteLength(text)).toBe(body.byteLength);
  expect(body.sent()).toBe("all");
});

test("the last byte is asked for after everything else has left, and right before it is yielded", async () => {
  const seen: string[] = [];
  const body = createBatchBody(["{}"], () => {
    seen.push(`asked when ${body.sent()}`);
    return true;
  });
  const flushed = async (): Promise<void> => {
    seen.push("flushed");
  };
  for await (const chunk of body.bytes(flushed, never)) seen.push(Buffer.from(chunk).toString());
  expect(seen).toEqual(["[{}", "flushed", "asked when part", "]"]);
});

test.each([
  ["not allowed", () => false],
  [
    "not answered",
    () => {
      throw new Error("broken check");
    },
  ],
])("a last byte that is %s is never yielded", async (_name, check) => {
  const body = createBatchBody(["{}"], check);
  let withheld = 0;
  let text = "";
  const reading = (async () => {
    for await (const chunk of body.bytes(atOnce, () => (withheld += 1)))
      text += Buffer.from(chunk).toString();
  })();
  await expect(reading).rejects.toThrow("withheld");
  expect([text, withheld, body.sent()]).toEqual(["[{}", 1, "part"]);
});

test("a stopped body neither asks nor yields any more", async () => {
  const body = createBatchBody(["{}"], () => expect.unreachable("asked"));
  const iterator = body.bytes(async () => body.stop(), never)[Symbol.asyncIterator]();
  await iterator.next();
  await expect(iterator.next()).rejects.toThrow("stopped");
  expect(body.sent()).toBe("part");
});

test("a body can be read once, so that nothing can send it again", async () => {
  const body = createBatchBody(["{}"], () => true);
  await read(body.bytes(atOnce, never));
  await expect(read(body.bytes(atOnce, never))).rejects.toThrow("only once");
});
