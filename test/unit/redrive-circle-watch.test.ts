import { describe, expect, test } from "vitest";
import type { ListPage } from "../../src/ports/service.ts";
import { createCircleWatch } from "../../src/redrive/circle-watch.ts";

const page = (cursor: string | undefined, ...ids: readonly (string | undefined)[]): ListPage => ({
  records: ids.map((dlqId) => (dlqId === undefined ? {} : { dlqId })),
  ...(cursor === undefined ? {} : { cursor }),
});
const circle = /the listing repeats a page/;

describe("a listing goes in circles", () => {
  test("where a page comes back, whatever its cursor is called", () => {
    const watch = createCircleWatch();
    watch(page("a", "1-0", "2-0"));
    watch(page("b", "3-0", "4-0"));
    expect(() => watch(page("c", "1-0", "2-0"))).toThrow(circle);
  });

  test("where an empty page, or one without ids, has a cursor that was there", () => {
    const watch = createCircleWatch();
    watch(page("a"));
    watch(page("b", undefined));
    watch(page("c", undefined));
    expect(() => watch(page("a"))).toThrow(circle);
    expect(() => watch(page("b", undefined))).toThrow(circle);
  });

  test("where ever more pages are empty under ever new cursors, but not before a million records could have been filtered", () => {
    const watch = createCircleWatch();
    for (let n = 1; n <= 10_000; n += 1) watch(page(`empty ${n}`));
    expect(() => watch(page("one more"))).toThrow(/10001 pages without either/);
  });

  test("not where its cursor stays the same while it moves on, and not on its last page", () => {
    const watch = createCircleWatch();
    expect(() => {
      watch(page("same", "1-0"));
      watch(page("same", "2-0"));
      watch(page(undefined, "1-0"));
    }).not.toThrow();
  });
});
