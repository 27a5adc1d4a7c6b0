import type { Figure } from "../rig/figures.ts";
import type { Work } from "../rig/program.ts";
import { backlog } from "./scenarios/backlog.ts";
import { cost } from "./scenarios/cost.ts";
import { expiry } from "./scenarios/expiry.ts";
import { incident } from "./scenarios/incident.ts";
import { flap } from "./scenarios/flap.ts";
import { flushed } from "./scenarios/flushed.ts";
import { fourHosts } from "./scenarios/four-hosts.ts";
import { live } from "./scenarios/live.ts";
import { outage } from "./scenarios/outage.ts";
import { poison } from "./scenarios/poison.ts";
import { saturated } from "./scenarios/saturated.ts";
import type { World } from "./world.ts";

export const scenarioNames = [
  "dead",
  "back",
  "dead-built-in",
  "backlog",
  "expiry",
  "four-hosts",
  "poison",
  "flap",
  "flushed",
  "live",
  "cost",
  "incident",
  "saturated",
] as const;

type ListedWork = Work & { readonly isIn: boolean };
type Scenario = (world: World) => Promise<readonly Figure[]>;

/** Those of them that are chosen, the longest first; none named is all. `dead` and `back` are one outage. */
export function chosenWorks(chosen: ReadonlySet<string>, worldOf: (index: number) => World): readonly Work[] {
  const isChosen = (name: string): boolean => chosen.size === 0 || chosen.has(name);
  const [isDead, isBack] = [isChosen("dead"), isChosen("back")];
  // Without `dead`, as long as probes need to become rare.
  const outageWorld = worldOf(1);
  const deadHours = !isDead ? 0.5 : outageWorld.isSmall ? 1 : 2;
  const listed = (name: string, index: number, scenario: Scenario): ListedWork => ({
    name,
    isIn: isChosen(name),
    run: () => scenario(worldOf(index)),
  });
  const works: readonly ListedWork[] = [
    listed("incident", 4, incident),
    listed("saturated", 11, saturated),
    {
      name: [...(isDead ? ["dead"] : []), ...(isBack ? ["back"] : [])].join(", "),
      isIn: isDead || isBack,
      run: () => outage(outageWorld, { deadHours, withBack: isBack }),
    },
    listed("dead-built-in", 9, (world) =>
      outage(world, { deadHours: 1, withBack: false, hasBuiltInLimits: true }),
    ),
    listed("flap", 2, flap),
    listed("poison", 3, poison),
    listed("backlog", 10, backlog),
    listed("cost", 5, cost),
    listed("live", 6, live),
    listed("four-hosts", 7, fourHosts),
    listed("flushed", 9, flushed),
    listed("expiry", 8, expiry),
  ];
  return works.filter(({ isIn }) => isIn);
}
