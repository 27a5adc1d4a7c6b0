import { expect, test } from "vitest";
import type { MessageId } from "../../src/message/dead-letter.ts";
import { toItemOutcome } from "../../src/service/batch-items.ts";

const outcomeOf = (element: unknown) =>
  toItemOutcome(
    element,
    (text) => text,
    (text) => text as MessageId,
  );
const accepted = (messageId: string, deduplicated = false) => ({ kind: "accepted", messageId, deduplicated });

test.each([
  [{ messageId: "msg_1" }, accepted("msg_1")],
  [{ messageId: "msg_1", deduplicated: true }, accepted("msg_1", true)],
  [{ messageId: "msg_1", deduplicated: "true" }, accepted("msg_1")],
  [{ messageId: "msg_1", error: null }, accepted("msg_1")],
  [[{ messageId: "msg_1", url: "u" }], accepted("msg_1")],
  [[{ messageId: "msg_1", deduplicated: true }, { messageId: "msg_2" }], accepted("msg_1")],
  [
    [
      { messageId: "msg_1", deduplicated: true },
      { messageId: "msg_2", deduplicated: true },
    ],
    accepted("msg_1", true),
  ],
])("%j is accepted", (element, outcome) => {
  expect(outcomeOf(element)).toEqual(outcome);
});

test.each([
  [[{ messageId: "msg_1" }, { error: "no" }]],
  [[{ error: "no" }, { messageId: "msg_1" }]],
  [[{ messageId: "msg_1" }, null]],
  [[{ messageId: "msg_1" }, [{ messageId: "msg_2" }]]],
  [{ messageId: "msg_1", error: "queue is full" }],
  [[{ messageId: "msg_1", error: "queue is full" }]],
])("%j proves nothing", (element) => {
  expect(outcomeOf(element).kind).toBe("unknown");
});

test.each([
  [{ error: "no such queue" }, "no such queue"],
  [[{ error: "no such queue" }], "no such queue"],
  [{ error: { message: "x" } }, "expected an object with a messageId"],
  [{ messageId: "" }, "expected an object with a messageId"],
  [{ messageId: 7 }, "expected an object with a messageId"],
  [{}, "expected an object with a messageId"],
  [[], "expected an object with a messageId, got an empty array"],
  [null, "expected an object with a messageId"],
  ["msg_1", "expected an object with a messageId"],
])("%j was not published", (element, error) => {
  expect(outcomeOf(element)).toEqual({ kind: "refused", error });
});
