import { describe, expect, it } from "vitest";
import { isNonRetryable } from "../../../../src/job/message/retry-after.ts";
import { letterOf } from "../../../support/letters.ts";

const saying = (value: unknown, name = "Upstash-NonRetryable-Error") => ({ [name]: value });

describe("a receiver's word never again", () => {
  it.each<[string, number, Record<string, unknown>, boolean]>([
    ["489 with the header", 489, saying(["true"]), true],
    ["another prefix and case", 489, saying("True", "service-nonretryable-error"), true],
    ["another status", 500, saying(["true"]), false],
    ["no header", 489, {}, false],
    ["a header that says false", 489, saying(["false"]), false],
  ])("%s", (_name, responseStatus, responseHeader, expected) => {
    expect(isNonRetryable(letterOf({ responseStatus, responseHeader }))).toBe(expected);
  });
});
