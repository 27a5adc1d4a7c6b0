import { describe, expect, it } from "vitest";
import { checkFidelity } from "../../../../src/job/message/fidelity.ts";
import { letterOf, rawRecord } from "../../../support/letters.ts";

const lossOf = (fields: Record<string, unknown>) => checkFidelity(letterOf(fields), rawRecord(fields));
const placeholder = `REDACTED:${"0a".repeat(32)}`;

// Which reason comes first, and that plain records lose nothing: test/property/job/message/item-bytes.test.ts.
describe("what a rebuild would lose", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["bytes that are not UTF-8", { body: "", bodyBase64: "//8=" }, "binary-body"],
    ["a redacted body", { body: placeholder }, "redacted"],
    ["a redacted callback header", { callbackHeader: { A: [placeholder] } }, "redacted"],
    ["a redacted failure callback header", { failureCallbackHeader: { A: placeholder } }, "redacted"],
    ["a redacted field that is unknown today", { futureHeader: { A: [placeholder] } }, "redacted"],
    ["a run of a workflow", { workflowRunId: "wfr_1" }, "workflow"],
    ["a body that was cut", { header: { "content-length": ["12"] } }, "body-length-differs"],
  ])("%s", (_name, fields, reason) => {
    expect(lossOf(fields)).toBe(reason);
  });

  it("does not mind a placeholder in the stored response", () => {
    expect(lossOf({ responseBody: placeholder, responseHeader: { A: [placeholder] } })).toBeNull();
  });
});
