import { namesOfDestination, toFailureName } from "../../message/destination-names.ts";
import { pauseOf } from "../../contracts/pauses.ts";
import { hold } from "../fate.ts";
import { toAskAgain, type Gate } from "./gate.ts";
import type { Letter } from "../letter.ts";

/** What of a letter a person may pause beside its drain: its destination, and its kind of failure. */
export function pausableNamesOf({ failure, due }: Pick<Letter, "failure" | "due">): readonly string[] {
  return [...namesOfDestination(due.target), toFailureName(failure.id)];
}

/** Asked before lanes and capacity give grants: what a pause holds waits for no rate. The ledger's begin asks again. */
export const pause: Gate = {
  letsReconcilingPass: true,
  asking: (_, letters, now) => toAskAgain(letters, now),
  async ask({ config, source }, letters) {
    const askedAt = source.clock.monotonic();
    const pauses = await source.pausesOf(config.name);
    // Guards were asked just before.
    for (const letter of letters) letter.passedAt = askedAt;
    if (pauses.length === 0) return;
    if (pauseOf(pauses, config.name) !== undefined) {
      for (const letter of letters) hold(letter, "paused");
      return;
    }
    const paused = new Map(pauses.map((one) => [one.host, one]));
    for (const letter of letters) {
      const name = pausableNamesOf(letter).find((known) => paused.has(known));
      if (name !== undefined) hold(letter, "host-paused", paused.get(name)?.until, name);
    }
  },
};
