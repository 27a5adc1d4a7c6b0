import type { Figure } from "../rig/figures.ts";
import type { Work } from "../rig/program.ts";
import { backlog } from "./scenarios/backlog.ts";
import { flap } from "./scenarios/flap.ts";
import { flushed } from "./scenarios/flushed.ts";
import { fourHosts } from "./scenarios/four-hosts.ts";
import { outage } from "./scenarios/outage.ts";
import { poison } from "./scenarios/poison.ts";
import { saturated } from "./scenarios/saturated.ts";
import type { World } from "./world.ts";

export const scenarioNames = [
  "dead",
  "back",
  "dead-built-in",
  "backlog",
  "four-hosts",
  "poison",
  "flap",
  "flushed",
  "saturated",
] as const;

type ListedWork = Work & { readonly isIn: boolean };
type Scenario = (world: World) => Promise<readonly Figure[]>;

/** Those of them that are chosen, the longest first; none named is all. `dead` and `back` are one outage. */
export function chosenWorks(chosen: ReadonlySet<string>, world: World): readonly Work[] {
  const isChosen = (name: string): boolean => chosen.size === 0 || chosen.has(name);
  const [isDead, isBack] = [isChosen("dead"), isChosen("back")];
  // Without `dead`, as long as probes need to become rare.
  const deadHours = !isDead ? 0.5 : world.isSmall ? 1 : 2;
  const listed = (name: string, scenario: Scenario): ListedWork => ({
    name,
    isIn: isChosen(name),
    run: () => scenario(world),
  });
  const works: readonly ListedWork[] = [
    listed("saturated", saturated),
    {
      name: [...(isDead ? ["dead"] : []), ...(isBack ? ["back"] : [])].join(", "),
      isIn: isDead || isBack,
      run: () => outage(world, { deadHours, withBack: isBack }),
    },
    listed("dead-built-in", () => outage(world, { deadHours: 1, withBack: false, hasBuiltInLimits: true })),
    listed("flap", flap),
    listed("poison", poison),
    listed("backlog", backlog),
    listed("four-hosts", fourHosts),
    listed("flushed", flushed),
  ];
  return works.filter(({ isIn }) => isIn);
}
