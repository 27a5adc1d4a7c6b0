import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import type { DrainName, SourceId } from "../../../../src/job/contracts/ids.ts";
import { createPlanWriter, readPlan, type PlanHead } from "../../../../src/people/plan/plan-file.ts";
import type { PlanRecord } from "../../../../src/people/plan/plan-file-record.ts";
import { planned } from "../../../support/planned.ts";

const orders = "orders" as DrainName;

const head: PlanHead = {
  redriverPlan: 1,
  createdAt: 1,
  version: "0.1.0",
  documentHash: "d",
  flags: { showContent: false },
  drains: [{ drain: orders, source: "eu" as SourceId, address: "a", rulesHash: "r", from: 0, to: 9 }],
};

function toText(records: readonly PlanRecord[]): string {
  const writer = createPlanWriter();
  return [writer.head(head), ...records.map((one) => writer.record(one)), writer.end()].join("");
}

async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) {
    yield await Promise.resolve(bytes.subarray(start, start + size));
  }
}

describe("a plan's file", () => {
  it.each([1, 7, 100_000])(
    "is read as it was written, in chunks of %i bytes, whatever line ends a text holds",
    async (size) => {
      const records = [planned(1), planned(2, { then: "hold", reason: "rule" }), planned(3)];
      const read: PlanRecord[] = [];
      const reading = await readPlan(chunksOf(toText(records), size), (record) => read.push(record));
      expect(reading).toMatchObject({ ok: true, head });
      expect(read).toEqual(records);
    },
  );

  it("is refused at every place where it is cut", async () => {
    const text = toText([planned(1), planned(2)]);
    for (let end = 0; end < text.length - 1; end += 1) {
      const reading = await readPlan(chunksOf(text.slice(0, end), 1_000), () => undefined);
      expect(reading.ok, `cut at ${end}`).toBe(false);
    }
    // The last line end alone may be missing.
    expect((await readPlan(chunksOf(text.slice(0, -1), 1_000), () => undefined)).ok).toBe(true);
  });

  it("is refused whatever single character of it is another one", async () => {
    const text = toText([planned(1)]);
    for (let at = 0; at < text.length - 1; at += 1) {
      const other = text[at] === "1" ? "2" : "1";
      const edited = text.slice(0, at) + other + text.slice(at + 1);
      const reading = await readPlan(chunksOf(edited, 1_000), () => undefined);
      expect(reading.ok, `edited at ${at}`).toBe(false);
    }
  });

  it.each([
    ["a record of a drain that the head has not", planned(1, { drain: "other" as DrainName })],
    ["a record without a proper id", planned(1, { dlqId: "x" as DlqId })],
    ["a republish without its item", { ...planned(1), item: undefined } as unknown as PlanRecord],
    ["an unknown decision", planned(1, { then: "burn" as never })],
  ])("is refused with %s", async (_name, record) => {
    expect(await readPlan(chunksOf(toText([record]), 1_000), () => undefined)).toEqual({
      ok: false,
      problem: "line 2: expected a record of one of the plan's drains",
    });
  });

  it("may have nothing behind its end", async () => {
    const text = toText([planned(1)]);
    expect(await readPlan(chunksOf(`${text}${text}`, 1_000), () => undefined)).toMatchObject({ ok: false });
  });
});
