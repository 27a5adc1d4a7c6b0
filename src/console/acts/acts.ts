/** Every act of the console, by its name. */
import type { Act } from "./act.ts";

export const acts: readonly Act[] = [];
