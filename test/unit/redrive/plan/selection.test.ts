import { expect, it } from "vitest";
import type { DrainName } from "../../../../src/ports/ids.ts";
import { createSelection } from "../../../../src/redrive/plan/selection.ts";
import { planned } from "../../../support/planned.ts";

it("selects what is to be done, and not what is held or waits for a person already", () => {
  const selection = createSelection();
  selection.add(planned(1));
  selection.add(planned(2, { then: "park", already: true }));
  selection.add(planned(3, { then: "hold" }));
  selection.add(planned(4, { then: "drop" }));
  expect([...selection.of("orders" as DrainName).keys()]).toEqual(["1-0", "4-0"]);
});
