import { counted, toCounts } from "../../operations/phrases.ts";
import { copyPlan, type CopyEnd, type CopyRun } from "../../operations/plans/copy-plan.ts";
import type { CommandContext } from "../command-context.ts";
import { hasConsent } from "../input/consent.ts";
import { printResult } from "../output/print.ts";
import type { createProgressLine } from "../output/progress.ts";
import { toRows } from "../output/fields-text.ts";

/** `redriver apply --to … --keep`: asks, copies, and says what became of the copies at the service. */
export async function copyFor(
  run: Omit<CopyRun, "agrees" | "onPage">,
  { yes, json }: Readonly<{ yes?: boolean; json?: boolean }>,
  progress: ReturnType<typeof createProgressLine>,
  { io, exitWith }: CommandContext,
): Promise<void> {
  const toQuestion = (count: number): string =>
    `Copy ${counted(count, "message")} to ${run.to}, secrets too; the dead letters stay. Go on?`;
  const ends = await copyPlan({
    ...run,
    agrees: (count) => hasConsent(io, yes, () => toQuestion(count)),
    onPage: (drain, copied) => progress.show(`${drain}: ${copied} copied`),
  });
  progress.end();
  if (ends === null) io.err("nothing was done\n");
  else printResult(io, json, ends, () => toRows(io.columns, ends.map(toRow)));
  if (ends === null || ends.some(({ left }) => left > 0)) exitWith(3);
}

function toRow({ leftReasons, ...end }: CopyEnd) {
  return { ...end, why: toCounts(leftReasons) };
}
