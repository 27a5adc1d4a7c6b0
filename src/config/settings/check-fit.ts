import type { DrainsDocument } from "../../ports/drains.ts";
import { firstProblems, type Problem } from "../problem.ts";
import { checkHeaders } from "./check-headers.ts";
import { checkSources } from "./check-sources.ts";
import { checkInequality } from "./ledger-limits.ts";
import type { Settings } from "./settings.ts";

/** Everything that must hold between settings and document before anything is built from them. Empty when all does. */
export function checkFit(settings: Settings, document: DrainsDocument): readonly Problem[] {
  return firstProblems([
    ...checkSources(settings, document),
    ...checkInequality(settings, document),
    ...checkHeaders(settings, document),
  ]);
}
