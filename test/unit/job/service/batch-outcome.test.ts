import { expect, test } from "vitest";
import type { MessageId } from "../../../../src/job/message/dead-letter.ts";
import { toItemOutcome } from "../../../../src/job/service/batch-outcome.ts";

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
  [{ messageId: "msg_1", deduplicated: "true" }, accepted("msg_1", true)],
  [{ messageId: "msg_1", deduplicated: false }, accepted("msg_1")],
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
  [[{ messageId: "msg_1" }, [{ messageId: "msg_2" }]]],
  [{ messageId: "msg_1", error: "queue is full" }],
  [[{ messageId: "msg_1", error: "queue is full" }]],
  [{ messageId: "msg_1", error: {} }],
  [{ messageId: " ", error: "queue is full" }],
  [[{ error: "no" }, {}]],
  [[[{ error: "no" }]]],
  [{ error: {} }],
  [{ error: 5 }],
  [{ message: "no" }],
  [{ messageId: "" }],
  [{ messageId: null }],
  [{}],
  [[]],
  [[{}]],
  [null],
  [5],
  ["msg_1"],
  [["msg_1"]],
])("%j proves nothing", (element) => {
  expect(outcomeOf(element).kind).toBe("in-doubt");
});

test.each([
  " ",
  "\n",
  "\u0000",
  "0",
  "null",
  "msg_",
  "msg_1 ",
  "msg_ 1",
  '"msg_1"',
  "[object Object]",
  "msg_\u2028",
  "msg_ä",
  `msg_${"x".repeat(253)}`,
])("%j is no message id, and proves nothing, also as a hit or in a URL Group", (messageId) => {
  expect(outcomeOf({ messageId }).kind).toBe("in-doubt");
  expect(outcomeOf({ messageId, deduplicated: true }).kind).toBe("in-doubt");
  expect(outcomeOf([{ messageId: "msg_1" }, { messageId }]).kind).toBe("in-doubt");
});

test.each([
  "msg_1",
  "msg_26hZCxZCuWyyTWPmSVBrNB8",
  "1725323658779-0",
  "5f0c1e9e-9c0e-4a1c-8f43-0c5b2a0e5d11",
  "region/eu:msg~1=+",
  `msg_${"x".repeat(252)}`,
])("%s is a message id", (messageId) => {
  expect(outcomeOf({ messageId })).toEqual(accepted(messageId));
});

test.each([
  [{ error: "no such queue" }, "no such queue"],
  [{ error: "no such queue", messageId: "" }, "no such queue"],
  [{ error: "no such queue", messageId: null }, "no such queue"],
  [{ error: { message: "no such queue" } }, "no such queue"],
  [[{ error: "no such queue" }], "no such queue"],
  [[{ error: "no such queue" }, { error: "no such group" }], "no such queue"],
])("%j was refused", (element, error) => {
  expect(outcomeOf(element)).toEqual({ kind: "refused", error });
});
