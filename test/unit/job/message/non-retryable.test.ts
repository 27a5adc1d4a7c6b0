import { describe, expect, it } from "vitest";
import { isNonRetryable } from "../../../../src/job/message/retry-after.ts";
import { letterOf } from "../../../support/letters.ts";

describe("a receiver's word never again", () => {
  it.each<[string, Record<string, unknown>, boolean]>([
    [
      "489 with the header",
      { responseStatus: 489, responseHeader: { "Upstash-NonRetryable-Error": ["true"] } },
      true,
    ],
    [
      "another prefix and case",
      { responseStatus: 489, responseHeader: { "service-nonretryable-error": "True" } },
      true,
    ],
    [
      "another status",
      { responseStatus: 500, responseHeader: { "Upstash-NonRetryable-Error": ["true"] } },
      false,
    ],
    ["no header", { responseStatus: 489 }, false],
    [
      "a header that says false",
      { responseStatus: 489, responseHeader: { "Upstash-NonRetryable-Error": ["false"] } },
      false,
    ],
  ])("%s", (_name, fields, expected) => {
    expect(isNonRetryable(letterOf(fields))).toBe(expected);
  });
});
