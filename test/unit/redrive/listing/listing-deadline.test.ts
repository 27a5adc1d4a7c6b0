import { expect, test } from "vitest";
import type { ListPage } from "../../../../src/ports/service.ts";
import { followCursor } from "../../../../src/redrive/listing/follow-cursor.ts";
import { createListingDeadline } from "../../../../src/redrive/listing/listing-deadline.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

/** Pages of a service that makes up a record for each; the worker takes an hour for each of them. */
async function listAll(pageMs: number, pages = Infinity): Promise<{ listed: number; failure: unknown }> {
  const clock = createManualClock();
  let listed = 0;
  const list = async (): Promise<ListPage> => {
    clock.advance(pageMs);
    listed += 1;
    return { records: [{ dlqId: `${listed}-0` }], ...(listed < pages ? { cursor: `page ${listed}` } : {}) };
  };
  try {
    for await (const _page of followCursor(list, createListingDeadline(clock, 1_800_000)))
      clock.advance(3_600_000);
    return { listed, failure: null };
  } catch (failure) {
    return { listed, failure };
  }
}

test("a listing of records that are ever new ends when it has waited for half an hour", async () => {
  const { listed, failure } = await listAll(50);
  expect(failure).toMatchObject({
    code: "listing-endless",
    message: expect.stringContaining("within 30 min") as string,
  });
  expect(listed).toBe(36_001);
});

test("a listing of up to 100,000 records comes to its end however slow it is", async () => {
  expect(await listAll(60_000, 1_000)).toEqual({ listed: 1_000, failure: null });
  expect((await listAll(60_000)).listed).toBe(1_000);
});
