import { expect, it } from "vitest";
import type { RawRecord } from "../../../../src/job/message/dead-letter.ts";
import { listPage } from "../../../../src/job/listing/list-page.ts";
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
