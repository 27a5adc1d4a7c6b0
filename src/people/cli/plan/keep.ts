import { systemClock } from "../../../system-world.ts";
import type { Core } from "../../../job/door.ts";
import { sleptFully } from "../../../job/contracts/clock.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { PlanFilter } from "../../../job/contracts/plans.ts";
import { shownIdLength } from "../../operations/plans/choose-plan.ts";
import type { CommandContext } from "../command-context.ts";
import type { Stop } from "../input/stop-on-signals.ts";
import { printResult } from "../output/print.ts";
import { createProgressLine } from "../output/progress.ts";
import { openDesk } from "../plans/open-desk.ts";
import { toPlanText } from "./text.ts";

const showEveryMs = 1_000;

/** Makes a plan as the console does, and shows it. Throws `plan-refused` if there is no room, or it failed. */
export async function keepPlan(
  core: Core,
  asked: {
    readonly drains: readonly DrainName[];
    readonly filter: PlanFilter;
    readonly by: string;
    readonly json?: boolean;
  },
  stop: Stop,
  { io, exitWith }: CommandContext,
): Promise<void> {
  const { drains, filter, by, json } = asked;
  const desk = openDesk(core, stop.stopping);
  const id = await desk.make({ drains, filter, by });
  const ended = new AbortController();
  const settled = desk.settled().then(() => ended.abort());
  const progress = createProgressLine(io);
  while (await sleptFully(systemClock, showEveryMs, ended.signal)) {
    const making = await desk.show(id).then(
      ({ plan }) => plan.making,
      () => null,
    );
    if (making !== null) progress.show(`${making.listed} read, ${making.planned} in the plan`);
  }
  await settled;
  progress.end();
  const { plan, report } = await desk.show(id);
  if (report === null) {
    if (plan.state === "failed")
      throw new RedriverError("plan-refused", `the plan is not kept: ${plan.why ?? ""}`);
    io.err(`the plan is not kept: ${plan.why ?? plan.state}\n`);
    return exitWith(3);
  }
  printResult(io, json, { id, ...report }, () => toPlanText(io.columns, report));
  io.err(
    `kept for a day as plan ${id}; redriver apply ${id.slice(0, shownIdLength)} acts on exactly these records\n`,
  );
}
