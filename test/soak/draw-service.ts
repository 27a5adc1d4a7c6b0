import type { EmulatorOptions } from "../../dev/emulator/index.ts";
import type { Dice } from "../rig/dice.ts";

/** In what nobody documents, a service that is this or that one, for as long as the soak lasts. */
export function drawService(dice: Dice) {
  return {
    dateFilter: dice.pick(["entered", "entered", "created"]),
    order: dice.pick(["earliestFirst", "latestFirst"]),
    missingStatus: dice.pick(["absent", "zero"]),
    recordHeaders: dice.pick(["forwarded", "sent"]),
    // With offsets a pass that deletes skips records; a later one has to meet them.
    cursorBy: dice.pick(["record", "offset"]),
    dedupWindowFrom: dice.pick(["first", "last"]),
  } as const satisfies EmulatorOptions;
}
