import { expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import { createOpenOrders } from "../../../../src/people/plan/open-orders.ts";
import type { Planned } from "../../../../src/people/plan/plan-file-record.ts";

it("what was done since the apply began is told apart from what was done before", async () => {
  const at = [9, 10, 11, null];
  const ids = at.map((_, index) => `${index}-0` as DlqId);
  const views = at.map((time): LedgerView =>
    time === null ? { state: "absent" } : { state: "gone", at: time },
  );
  const source = { ledger: { peek: () => Promise.resolve({ views, at: 20 }) }, headerPrefix: "" };
  const open = new Map(ids.map((id) => [id, { then: "republish" } as Planned]));
  const orders = createOpenOrders({ source } as unknown as Parameters<typeof createOpenOrders>[0], open, 10);
  await orders.takeOutUnlisted(ids);
  expect(orders.done()).toEqual({ all: 3, since: 2 });
  expect(orders.skips()).toMatchObject({ gone: 1 });
});
