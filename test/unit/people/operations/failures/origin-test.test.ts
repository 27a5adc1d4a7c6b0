import { expect, it } from "vitest";
import { toOriginTest } from "../../../../../src/people/operations/failures/list.ts";

it("means a queue that is named * alone, and every queue if none is named so", () => {
  const origins = ["queue:*", "queue:a", "https://pay.example.com"];
  expect(origins.filter(toOriginTest("queue:*", origins))).toEqual(["queue:*"]);
  expect(origins.filter(toOriginTest("queue:*", origins.slice(1)))).toEqual(["queue:*", "queue:a"]);
});
