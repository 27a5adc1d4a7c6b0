import { expect, it } from "vitest";
import { toLanesPage } from "../pages/lanes-page.ts";
import { readDoc } from "../support/markdown.ts";

it("the states in docs/lanes.md are those over the machine, as npm run docs:lanes writes them", () => {
  expect(readDoc("docs/lanes.md")).toBe(toLanesPage());
});
