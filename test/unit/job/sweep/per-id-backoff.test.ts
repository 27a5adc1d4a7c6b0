import { expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { createPerIdBackoff } from "../../../../src/job/sweep/per-id-backoff.ts";

it("patience with what stays in doubt asks again after 15 s, then ever more rarely, and at least every five minutes", () => {
  let now = 0;
  const patience = createPerIdBackoff({ monotonic: () => now });
  const id = "1-0" as DlqId;
  const waits: number[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    patience.note(id);
    const since = now;
    while (!patience.isDue(id)) now += 1_000;
    waits.push(now - since);
  }
  expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000, 300_000]);
});
