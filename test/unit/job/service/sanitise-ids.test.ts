import { expect, test } from "vitest";
import { toShownMessageId, withoutTokenInIds } from "../../../../src/job/service/sanitise-ids.ts";

const token = "msg_token-of-9f8e7d6c";

test.each([
  "msg_26hZCxZCuWyyTWPmSVBrNB8",
  "msg_1",
  "msg_7YoJxFpwkEy5zBp378JgvD6YBDPBEqkBPje2JGTCEUiASMJQ1FwY9",
])("an id of the documented form is told as it is: %s", (id) => {
  expect(toShownMessageId(id, token)).toBe(id);
});

test.each([
  "order of a customer",
  token,
  `msg_1${token}`,
  "msg_",
  "",
  "msg_a b",
  "msg_\n",
  `msg_${"x".repeat(200)}`,
  "id-1",
])("anything else is told by its hash, and equal ones stay equal: %j", (id) => {
  const told = toShownMessageId(id, token);
  expect(told).toMatch(/^msg_hash-[0-9a-f]{24}$/);
  expect(toShownMessageId(id, token)).toBe(told);
  expect(toShownMessageId(told, token)).toBe(told);
});

test("a listed record keeps its id, unless that repeats the token", () => {
  const record = { messageId: "order of a customer", body: token };
  expect(withoutTokenInIds([record], token)[0]).toBe(record);
  expect(withoutTokenInIds([{ messageId: `x${token}`, body: token }], token)[0]).toEqual({
    messageId: toShownMessageId(`x${token}`, token),
    body: token,
  });
});
