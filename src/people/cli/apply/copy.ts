import type { Core } from "../../../job/door.ts";
import type { PlanOrder, SharedPlan } from "../../../job/contracts/plans.ts";
import { counted, toCounts } from "../../operations/phrases.ts";
import { copyPlan, type CopyEnd } from "../../operations/plans/copy-plan.ts";
import type { CommandContext } from "../command-context.ts";
import { hasConsent } from "../input/consent.ts";
import type { Stop } from "../input/stop-on-signals.ts";
import { printResult } from "../output/print.ts";
import type { createProgressLine } from "../output/progress.ts";
import { toTable } from "../output/table.ts";

/** `redriver apply --to … --keep`: asks, copies, and says what became of the copies at the service. */
export async function copyFor(
  core: Core,
  copy: {
    readonly plan: SharedPlan;
    readonly to: string;
    readonly order: PlanOrder;
    readonly yes: boolean | undefined;
    readonly json: boolean | undefined;
  },
  signals: Stop,
  progress: ReturnType<typeof createProgressLine>,
  { io, exitWith }: CommandContext,
): Promise<void> {
  const { plan, to, order, yes, json } = copy;
  const ends = await copyPlan({
    core,
    plan,
    to,
    order,
    signals,
    agrees: (count) =>
      hasConsent(
        io,
        yes,
        () => `Copy ${counted(count, "message")} to ${to}, secrets too; the dead letters stay. Go on?`,
      ),
    onPage: (drain, copied) => progress.show(`${drain}: ${copied} copied`),
  });
  progress.end();
  if (ends === null) io.err("nothing was done\n");
  else printResult(io, json, ends, () => toTable(ends, columns));
  if (ends === null || ends.some(({ left }) => left > 0)) exitWith(3);
}

const columns: Readonly<Record<string, (end: CopyEnd) => string | number>> = {
  drain: ({ drain }) => drain,
  to: ({ to }) => to,
  planned: ({ planned }) => planned,
  copied: ({ copied }) => copied,
  left: ({ left }) => left,
  why: ({ leftReasons }) => toCounts(leftReasons).join(", "),
};
