import { expect, it } from "vitest";
import type { Show } from "../../../../src/job/message/show-masked-values.ts";
import { createFailureCount } from "../../../../src/people/plan/destination-count.ts";
import { letterOf } from "../../../support/letters.ts";

const responseBody = '{"error":"no tenant for jane@example.com","password":"hunter2"}';
const fields = { responseStatus: 422, responseBody };

function countedWith(show: Show) {
  const count = createFailureCount(show);
  count.add(letterOf(fields), "hold");
  count.add(letterOf({ ...fields, responseBody: responseBody.replace("jane", "bob") }), "hold");
  return count.counts();
}

it("a plan tells the receiver's answer without what varies, with an example only where content is shown", () => {
  expect(countedWith("masked").top).toMatchObject([{ count: 2, text: "no tenant for <email>" }]);
  expect(JSON.stringify(countedWith("masked"))).not.toMatch(/jane|bob|hunter2/);
  expect(countedWith("content").top).toMatchObject([{ count: 2, example: responseBody }]);
});
