import { expect, it } from "vitest";
import type { FailureKind } from "../../../../src/job/message/failure-kind.ts";
import type { FailureBook } from "../../../../src/job/contracts/failures.ts";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { FailureTally } from "../../../../src/job/failures/count-failures.ts";
import { createRecordFailures } from "../../../../src/job/failures/record-failures.ts";

const drain = "orders" as DrainName;
const kind: FailureKind = { id: "a1", origin: "https://a.example", status: 503, text: "down" };

function createStand() {
  const samples: (string | null)[] = [];
  let now = 0;
  const book: Pick<FailureBook, "meet"> = {
    meet: async (_, kinds) => {
      samples.push(...kinds.map(({ sample }) => sample));
      return new Map(kinds.map(({ id }) => [id, id]));
    },
  };
  const record = createRecordFailures(
    book as FailureBook,
    () => now,
    () => 0,
  );
  return {
    samples,
    pass: (ms: number) => void (now += ms),
    window: (published: string, stays?: string) => {
      const [page, all] = [new FailureTally(), new FailureTally()];
      page.add(kind, published, "published");
      if (stays !== undefined) page.stays(kind, stays);
      all.merge(page);
      return record(drain, all);
    },
  };
}

it("a sample that stays in the queue takes the place of one that was published, once a minute at most", async () => {
  const { samples, pass, window } = createStand();
  await window("1-0");
  await window("2-0");
  await window("3-0", "4-0");
  await window("5-0", "6-0");
  expect(samples).toEqual(["1-0", "4-0"]);
  pass(60_000);
  await window("7-0");
  await window("8-0", "9-0");
  expect(samples).toEqual(["1-0", "4-0", "9-0"]);
  pass(3_600_000);
  await window("10-0");
  expect(samples.at(-1)).toBe("10-0");
});
