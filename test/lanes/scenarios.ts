import type { Figure } from "../rig/figures.ts";
import { backlog } from "./scenarios/backlog.ts";
import { flap } from "./scenarios/flap.ts";
import { flushed } from "./scenarios/flushed.ts";
import { fourHosts } from "./scenarios/four-hosts.ts";
import { outage } from "./scenarios/outage.ts";
import { poison } from "./scenarios/poison.ts";
import { saturated } from "./scenarios/saturated.ts";
import type { World } from "./world.ts";

/** The longest first. */
export const scenarios: Readonly<Record<string, (world: World) => Promise<readonly Figure[]>>> = {
  saturated,
  outage: (world) => outage(world),
  "dead-built-in": (world) => outage(world, true),
  flap,
  poison,
  backlog,
  "four-hosts": fourHosts,
  flushed,
};
