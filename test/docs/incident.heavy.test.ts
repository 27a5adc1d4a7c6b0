/** The tutorial, played as its reader plays it: real Redis, real emulator, every command in a terminal. */
import { beforeAll, describe, expect, it } from "vitest";
import { openCheckout } from "../pages/incident/checkout.ts";
import { toPageSteps } from "../pages/incident/page-steps.ts";
import { buildLine, demoLine, runSteps, type StepRun } from "../pages/incident/run-steps.ts";
import { toMovingParts, toStable } from "../pages/incident/stable-text.ts";
import { readDoc, root } from "../support/markdown.ts";
import { isHere } from "../support/tools.ts";

const steps = toPageSteps(readDoc("docs/incident.md"));
const lastCommandOf = ({ commands }: { readonly commands: readonly string[] }): string =>
  commands.at(-1) ?? "";

/** While messages move, these parts of an output are the same, but for their numbers. */
const movingParts = new Map([
  [demoLine, /^.+$/gm],
  ["redriver status", /^(?:draining|drain .*|destination .*|.* replica, document.*)$/gm],
  ["redriver lanes", /^.+$/gm],
  ["redriver history --by ann --act release,apply,lane-probe", /\S+ \S+ \S+ [^\n]*; why [^\n]*; by ann/g],
  // A look at the first terminal, where several messages may come as one.
  ["", /newly parked for a person|gets messages again|\w+: drained/g],
]);

describe.skipIf(!isHere("script"))("the incident", () => {
  let runs: readonly StepRun[] = [];
  beforeAll(async () => {
    using checkout = openCheckout(root);
    runs = await runSteps(steps, { ...checkout, demoFlags: " --receiver-port 0" });
  }, 400_000);

  it("has every step of the way", () => {
    expect(steps[0]?.commands).toEqual([buildLine, demoLine]);
    const names = steps.flatMap(({ commands }) => commands);
    const looks = ["failures show", "rules explain", "history", "report"];
    for (const name of [...looks, "lanes probe", "plan --show", "apply", "parked release"]) {
      expect(names.some((line) => line.startsWith(`redriver ${name} `))).toBe(true);
    }
    expect([...movingParts.keys()].filter((line) => !steps.map(lastCommandOf).includes(line))).toEqual([]);
  });

  const titled = steps.map((step, index) => [lastCommandOf(step) || "(the first terminal)", index] as const);

  it.each(titled)("%s ends with 0", (_, index) => {
    const { exitCode, output } = runs[index]!;
    expect({ exitCode, output: exitCode === 0 ? "" : output }).toEqual({ exitCode: 0, output: "" });
  });

  it.each(titled.filter(([, index]) => steps[index]?.shown !== null))(
    "%s prints what the page shows",
    (_, index) => {
      const { step, output } = runs[index]!;
      const moving = movingParts.get(lastCommandOf(step));
      const toCompare = (text: string) =>
        moving === undefined ? toStable(text) : toMovingParts(text, moving);
      const shown = toCompare(step.shown ?? "");
      expect(shown).not.toHaveLength(0);
      expect(toCompare(output)).toEqual(shown);
    },
  );
});
