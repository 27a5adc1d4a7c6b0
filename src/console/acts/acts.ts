/** Every act of the console, by its name. */
import type { Act } from "./act.ts";
import { releaseAllAct, releaseOneAct } from "./release.ts";
import { showContentAct } from "./show-content.tsx";

export const acts: readonly Act[] = [releaseOneAct, releaseAllAct, showContentAct];
