import { describe, expect, it } from "vitest";
import { comeBackKindOf } from "../../../../src/job/message/come-back-kind.ts";

describe("a come-back", () => {
  it.each([undefined, 0, 408, 425, 429, 500, 502, 503, 504, 522, 599])("is down by %s", (status) => {
    expect(comeBackKindOf(status)).toBe("down");
  });

  it.each([200, 301, 400, 401, 403, 404, 409, 410, 413, 422, 426, 428, 430, 451, 489, 499, 600, 999])(
    "is refused by %s",
    (status) => {
      expect(comeBackKindOf(status)).toBe("refused");
    },
  );
});
