import { describe, expect, it } from "vitest";
import { explainRecord } from "../../../../src/people/operations/rules/explain.ts";
import { toExplainText } from "../../../../src/people/cli/rules/explain-text.ts";
import type { Show } from "../../../../src/job/message/show-masked-values.ts";
import { createFailureCount } from "../../../../src/people/plan/failure-count.ts";
import { anyItem } from "../../../support/item-checks.ts";
import { loaded } from "../../../support/drains-documents.ts";
import { enteredAt, letterOf, rawRecord } from "../../../support/letters.ts";
import { wholeDocument } from "../../../support/whole-document.ts";

const responseBody = '{"error":"no tenant for jane@example.com","password":"hunter2"}';
const fields = { responseStatus: 422, responseBody };

const now = enteredAt + 3_600_000;

function explained(show: Show) {
  const [drain] = loaded(wholeDocument, "drains.yaml").drains;
  if (drain === undefined) throw new Error("the test's document has a drain");
  return explainRecord(drain, rawRecord(fields), {
    now,
    view: { state: "absent" },
    viewedAt: now,
    headerPrefix: "Upstash-",
    checkItem: anyItem,
    lineageKeys: ["key"],
    ledgerNotAsked: null,
    notes: [],
    show,
  });
}

function countedWith(show: Show) {
  const count = createFailureCount(show);
  count.add(letterOf(fields), "hold");
  count.add(letterOf({ ...fields, responseBody: responseBody.replace("jane", "bob") }), "hold");
  return count.counts();
}

describe("the receiver's answer", () => {
  it("is told by rules explain without what varies, and as it was only where content is shown", () => {
    const masked = explained("masked");
    expect(masked.record?.failure.text).toBe("no tenant for <email>");
    expect(toExplainText(Infinity, masked)).not.toContain("answered");
    expect(JSON.stringify(masked)).not.toMatch(/jane|hunter2/);
    expect(toExplainText(Infinity, explained("content"))).toMatch(
      /^ {2}answered +\{"error":"no tenant for jane@example.com"/m,
    );
  });

  it("is told by a plan without what varies, with an example only where content is shown", () => {
    expect(countedWith("masked").top).toMatchObject([{ count: 2, text: "no tenant for <email>" }]);
    expect(JSON.stringify(countedWith("masked"))).not.toMatch(/jane|bob|hunter2/);
    expect(countedWith("content").top).toMatchObject([{ count: 2, example: responseBody }]);
  });
});
