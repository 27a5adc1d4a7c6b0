import { describe, expect, test } from "vitest";
import { parseEntryText, toTexts } from "../../../../src/store/audit/entry-text.ts";
import { entry, source } from "../../../support/audit-entry.ts";

describe("the text of an entry", () => {
  test("keeps rule, reason and attempt once for all records that share them", () => {
    const records = Array.from({ length: 100 }, (_, n) => ({
      dlqId: `1725323658779-${n}`,
      rule: "gateway-or-connection-failure",
      reason: "due",
      attempt: 1,
    }));
    const [text = "", ...more] = toTexts({ ...entry("1-0"), act: "republish", records });
    expect(more).toEqual([]);
    expect(text.match(/gateway-or-connection-failure/g)).toHaveLength(1);
    expect(text.length / 100).toBeLessThan(25);
    expect(parseEntryText(text, 7, source)).toMatchObject({ at: 7, act: "republish", records });
  });

  test("tells no rule from none said, and empty from absent", () => {
    const records = [{ dlqId: "1-0", rule: null }, { dlqId: "1-1" }, { dlqId: "1-2", attempt: 0 }];
    const [text = ""] = toTexts({ ...entry("1-0"), records });
    expect(parseEntryText(text, 7, source).records).toEqual(records);
  });

  test("of another layout is refused, not misread", () => {
    expect(() => parseEntryText('{"v":2,"a":"park"}', 7, source)).toThrow(/layout 1, got 2/);
  });

  test("has a person's reason of bounded length", () => {
    const [text = ""] = toTexts({ ...entry("1-0"), why: "x".repeat(100_000) });
    expect(text.length).toBeLessThan(1_200);
  });
});
