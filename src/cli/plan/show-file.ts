import { systemClock } from "../../compose/system-world.ts";
import { toPrintable } from "../../message/masked-text.ts";
import { RedriverError } from "../../ports/errors.ts";
import { createFileSummary } from "../../redrive/plan/file-summary.ts";
import type { Io } from "../io.ts";
import { readPlanFile } from "./read-plan-file.ts";
import { toShownPlanText, type ShownPlan } from "./show-file-text.ts";

/** Flags of `plan` that only a queue can answer. */
const notOfFiles = ["all", "rule", "host", "limit", "records", "out", "showContent"] as const;

/** Sums a frozen plan up. Needs no settings, no document, no Redis and no network. Throws as `readPlanFile` does. */
export async function showPlan(
  file: string,
  names: readonly string[],
  flags: { readonly json?: boolean } & { readonly [Name in (typeof notOfFiles)[number]]?: unknown },
  io: Io,
): Promise<void> {
  if (names.length > 0 || notOfFiles.some((name) => flags[name] !== undefined)) {
    throw new RedriverError("command-misused", "--show is of a whole file; only --json goes with it");
  }
  const now = systemClock.now();
  const summary = createFileSummary(now);
  const head = await readPlanFile(file, summary.add);
  const { createdAt, version, documentHash, flags: asked } = head;
  const drains = summary.drains(head);
  const shown: ShownPlan = allPrintable({ createdAt, version, documentHash, flags: asked, drains });
  io.out(
    flags.json === true ? `${JSON.stringify(shown, null, 2)}\n` : toShownPlanText(io.columns, shown, now),
  );
}

/** Anybody may have written the file, so no string of it goes to a terminal as it is. */
function allPrintable<Value>(value: Value): Value {
  if (typeof value === "string") return toPrintable(value) as Value;
  if (Array.isArray(value)) return value.map(allPrintable) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, allPrintable(inner)])) as Value;
}
