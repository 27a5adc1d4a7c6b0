import { expect, test } from "vitest";
import type { DlqId, MessageId } from "../../../../src/job/message/dead-letter.ts";
import type { Lineage } from "../../../../src/job/message/lineage.ts";
import { comeBackOf } from "../../../../src/job/lanes/come-back-from-record.ts";

const lineage: Lineage = {
  attempt: 1,
  rootId: "msg_root" as MessageId,
  rootCreatedAt: 1_700_000_000_000,
  rootMaxRetries: 3,
  rootDestination: "https://api.example.com/orders",
  parentDlqId: "1700000000000-0" as DlqId,
  step: { lane: "3f1c2d8e", step: 12, isCanary: true, isProbe: false },
  isForgiven: false,
  statusBefore: 503,
};

test("a come-back names its lane, step and parent", () => {
  expect(comeBackOf(lineage, 503)).toEqual([
    { lane: "3f1c2d8e", step: 12, parentDlqId: "1700000000000-0", kind: "down", status: 503 },
  ]);
});

test("what was sent in no step, or plain, says nothing of one", () => {
  expect(comeBackOf({ ...lineage, step: null }, 503)).toEqual([]);
  expect(comeBackOf({ ...lineage, step: { ...lineage.step!, isCanary: false } }, 503)).toEqual([]);
});

test.each([
  // What the message had been before this redrive: attempt, status; what it is now; what that says.
  [1, 503, 503, "down"],
  [1, 503, 422, "refused"],
  [1, 422, 422, "refused"],
  [2, 422, 422, "again"],
  [2, 422, 404, "refused"],
  [2, 422, 503, "down"],
  [2, 503, 422, "refused"],
  [2, 503, 503, "down"],
  [2, null, 422, "refused"],
  [2, 0, 0, "down"],
])("in attempt %s after %s, %s says %s", (attempt, statusBefore, status, kind) => {
  expect(comeBackOf({ ...lineage, attempt, statusBefore }, status)).toMatchObject([{ kind, status }]);
});
