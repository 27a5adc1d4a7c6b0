/** The pure half of the door (door.ts): what a page decides of a letter, for people who ask without acting. */
import type { BatchItem } from "./message/dead-letter.ts";
import { isNewlyExhausted, mayBeKept } from "./page/decide-letter.ts";
import { isReconciling, type Letter } from "./page/letter.ts";
import { itemOf as variantOf } from "./page/publish/canary-variant.ts";

export { createDrainSelects } from "./listing/drain-selects.ts";
export { atTime, decideLater, decideRecord, prepareHeld } from "./page/decide-record.ts";
export { isReconciling } from "./page/letter.ts";

/** The message that a due letter is published as, for the first time and plain. */
export function itemOf(letter: Pick<Letter, "dlqId" | "sendAs" | "due">): BatchItem {
  return variantOf(letter, 1);
}

/** What its lane means to a letter: it is due and waits for it, or is kept by it from a park. Null: nothing. */
export function laneNeedOf(letter: Letter): "due" | "kept" | null {
  if (letter.item !== null) return isReconciling(letter) ? null : "due";
  return isNewlyExhausted(letter) && mayBeKept(letter) ? "kept" : null;
}
