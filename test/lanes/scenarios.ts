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
] as const;

/** Those of them that are chosen, the longest first; none named is all. `dead` and `back` are one outage. */
export function chosenWorks(chosen: ReadonlySet<string>, worldOf: (index: number) => World): readonly Work[] {
  const isChosen = (name: string): boolean => chosen.size === 0 || chosen.has(name);
  const [isDead, isBack] = [isChosen("dead"), isChosen("back")];
  // Without `dead`, as long as probes need to become rare.
  const outageWorld = worldOf(1);
  const deadHours = !isDead ? 0.5 : outageWorld.isSmall ? 1 : 2;
  const works: readonly (Work & { readonly isIn: boolean })[] = [
    {
      name: [...(isDead ? ["dead"] : []), ...(isBack ? ["back"] : [])].join(", "),
      isIn: isDead || isBack,
      run: () => outage(outageWorld, { deadHours, withBack: isBack }),
    },
    {
      name: "dead-built-in",
      isIn: isChosen("dead-built-in"),
      run: () => outage(worldOf(9), { deadHours: 1, withBack: false, hasBuiltInLimits: true }),
    },
    { name: "backlog", isIn: isChosen("backlog"), run: () => backlog(worldOf(10)) },
    ...Object.entries({ flap, poison, incident, cost, live, "four-hosts": fourHosts, expiry, flushed }).map(
      ([name, scenario], index) => ({ name, isIn: isChosen(name), run: () => scenario(worldOf(index + 2)) }),
    ),
  ];
  return works.filter(({ isIn }) => isIn);
}
