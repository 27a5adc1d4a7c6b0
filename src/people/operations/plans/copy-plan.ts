/** Copies what a plan would publish to a test target. The plan, the dead letters and the ledger stay as they are. */
import {
  type Core,
  type DrainRuntime,
  type ListingSignals,
  sendCopies,
  survey,
  withNewer,
} from "../../../job/door.ts";
import { misused, RedriverError } from "../../../job/contracts/errors.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { PlanOrder, SharedPlan } from "../../../job/contracts/plans.ts";
import { hostOf } from "../../../job/message/destination-url.ts";
import { readPlan } from "../../plan/plan-file.ts";
import { createSelection } from "../../plan/plan-selection.ts";
import { randomIdentities } from "../../../system-world.ts";
import { readPause } from "../drain-pause-and-address.ts";
import { checkParts, toPart, type CheckedPart } from "./apply-parts.ts";

export type CopyEnd = Awaited<ReturnType<typeof copyPart>>;

export interface CopyRun {
  readonly core: Core;
  readonly plan: SharedPlan;
  readonly to: string;
  readonly order: PlanOrder;
  readonly signals: ListingSignals;
  readonly agrees: (count: number) => Promise<boolean>;
  readonly onPage: (drain: DrainName, copied: number) => void;
}

export function parseTarget(text: string): string {
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && [url.origin, url.href].includes(text);
  if (isOrigin && url.href === `${url.origin}/`) return url.origin;
  throw misused("--to: expected scheme, host and port, as https://test.example.com");
}

/** Null: the person said no. Throws as `checkParts` and `sendCopies` do. */
export async function copyPlan(run: CopyRun): Promise<readonly CopyEnd[] | null> {
  const { core, plan, order, signals } = run;
  const selection = createSelection();
  const reading = await readPlan(core.plans.lines(plan.id), selection.add);
  if (!reading.ok) throw new RedriverError("plan-invalid", `the plan in Redis: ${reading.problem}`);
  const { drains, flags } = reading.head;
  const parts = drains.map((planned) => toPart(core, planned, flags, ""));
  const checked = await checkParts(parts, selection, signals, () => undefined);
  for (const { open } of checked.map(({ check }) => check)) {
    for (const [dlqId, { then, host }] of open) {
      if (then !== "republish") open.delete(dlqId);
      else if (host === hostOf(run.to))
        throw misused("--to: some of the messages go there anyway; a copy is for another");
    }
  }
  const count = checked.reduce((sum, { check }) => sum + check.open.size, 0);
  if (!(await run.agrees(count))) return null;
  const target = { origin: run.to, run: randomIdentities.token(), why: `plan ${plan.id}: ${order.why}` };
  const ends: CopyEnd[] = [];
  for (const part of checked) ends.push(await copyPart(run, part, target));
  return ends;
}

async function copyPart(
  { core, to, order, signals, onPage }: CopyRun,
  { drain, runtime, range, check: { open } }: CheckedPart,
  target: Parameters<typeof sendCopies>[2],
) {
  const acting: DrainRuntime = { ...runtime, source: { ...runtime.source, by: order.by } };
  const planned = open.size;
  const left: Record<string, number> = {};
  let copied = 0;
  for await (const { letters } of survey(await withNewer(acting, range, signals), range, signals)) {
    const pause = await readPause(core, runtime);
    if (pause !== undefined || signals.stopping.aborted || open.size === 0) break;
    const due = letters.filter(({ dlqId, item }) => item !== null && open.delete(dlqId));
    for (const end of (await sendCopies(acting, due, target, signals.signal)).values()) {
      if (end === "copied") copied += 1;
      else left[end] = (left[end] ?? 0) + 1;
    }
    onPage(drain, copied);
  }
  if (open.size > 0) left["not-reached"] = open.size;
  // `copied`: accepted by the service, which is no delivery. `leftReasons` add up to `left`.
  return { drain, to, planned, copied, left: planned - copied, leftReasons: left };
}
