import { expect, it } from "vitest";
import type { RawRecord } from "../../../../src/job/message/dead-letter.ts";
import { createPageSize, listPage, listWithRetry } from "../../../../src/job/listing/list-page.ts";
import { createByteBudget } from "../../../../src/job/listing/byte-budget.ts";
import { createPageMemory } from "../../../../src/job/listing/limit-page-memory.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import { systemClock } from "../../../../src/system-world.ts";
import type { SourceRuntime } from "../../../../src/job/runtime.ts";
import { lineageKey, rawRecord } from "../../../support/letters.ts";

it("a record that died with our callback is listed with its own, also where callbacks are configured no more", async () => {
  const listed: RawRecord[] = [
    rawRecord({ callback: "https://redriver.example/callbacks/eu?redriver-callback=none" }),
    rawRecord({ callback: "https://theirs.example/c" }),
  ];
  const source = {
    health: { check: () => undefined },
    readAt: () => Promise.resolve(7),
    service: { list: () => Promise.resolve({ records: listed }) },
    lineageKeys: () => [lineageKey],
  } as unknown as SourceRuntime;
  const { records, readAt } = await listPage(source, { select: {}, count: 2 }, new AbortController().signal);
  expect({ records, readAt }).toEqual({ records: [rawRecord(), listed[1]], readAt: 7 });
});

it("a stop while it waits to list again ends as stopped, as a stop anywhere else does", async () => {
  const stop = new AbortController();
  const source = {
    clock: systemClock,
    memory: createPageMemory({
      budget: createByteBudget(64 * 1_048_576),
      shares: 1,
      maxAnswerBytes: 1_048_576,
      collectGarbage: () => undefined,
    }),
    health: { check: () => undefined, note: () => undefined, takeRetry: () => true },
    readAt: () => Promise.resolve(7),
    service: {
      list: () => {
        setTimeout(() => stop.abort(), 10);
        return Promise.reject(new RedriverError("service-unavailable", "away"));
      },
    },
  } as unknown as SourceRuntime;
  const signals = { signal: new AbortController().signal, stopping: stop.signal };
  const listed = listWithRetry(source, { select: {} }, createPageSize(1), signals);
  await expect(listed).rejects.toMatchObject({ code: "stopped" });
});
