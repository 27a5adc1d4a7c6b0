import type { GuardStanding } from "../../contracts/guards.ts";
import type { DrainRuntime } from "../../runtime.ts";
import { hold } from "../fate.ts";
import { toAskAgain, type Gate } from "./gate.ts";

export const guard: Gate = {
  letsReconcilingPass: true,
  asking: ({ config }, letters, now) => (config.guards.length === 0 ? [] : toAskAgain(letters, now)),
  async ask(drain, letters) {
    const closed = await closedGuardOf(drain);
    if (closed === undefined) return;
    for (const letter of letters) hold(letter, "guard", undefined, toText(closed));
  },
};

/** The first closed guard. Asked even without letters, so that an opening is seen. Throws `redis-unavailable`. */
export async function closedGuardOf({ config, source }: DrainRuntime): Promise<GuardStanding | undefined> {
  if (config.guards.length === 0) return undefined;
  const standings = await source.guards.standings(config);
  return standings.find(({ effect }) => effect === "closed");
}

function toText({ index, field, value }: GuardStanding): string {
  return `index ${index}: ${value === null ? `no fresh reading of ${field}` : `${field} is ${value}`}`;
}
