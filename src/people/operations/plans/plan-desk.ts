/**
 * Plans that replicas and commands share, as one process works on them:
 *
 *   make ─► row in Redis ─► survey ─► lines and summary ─► ready ─► apply ─► applied
 *                              │                                     │  ▲
 *                              └─► stopped, died, failed             └──┘ stopped, died, paused: apply again
 *
 * Any of them shows, stops and removes them. The one that got the request works, in its own process. A file is read
 * into Redis before it is applied. Nothing continues elsewhere by itself: a replica that dies leaves its work interrupted, and a person applies again.
 * The ledger knows what is done.
 */
import { misused, planRefused, RedriverError } from "../../../job/contracts/errors.ts";
import { isObject, parseJson } from "../../../job/message/json-value.ts";
import type { DrainName, PlanId } from "../../../job/contracts/ids.ts";
import {
  planLimits,
  type PlanClaim,
  type PlanFilter,
  type PlanOrder,
  type SharedPlan,
} from "../../../job/contracts/plans.ts";
import type { PlanFile } from "../../plan/plan-file.ts";
import { applySharedPlan, type ApplyEnd, type ApplyWatch, type BesideApply } from "./apply-shared-plan.ts";
import { shownIdLength } from "./choose-plan.ts";
import { toWhyOrdered, requireSelection } from "./discard.ts";
import { freezePlan, type PlanReport } from "./freeze-plan.ts";
import { beginKeeping, importPlan, type Keeper, type KeepParts, newClaim } from "./keep-plan.ts";
import { type Core, type CoreLease, recordIntent } from "../../../job/door.ts";

export interface PlanDeskParts extends BesideApply, KeepParts {
  readonly acquire: () => CoreLease;
  /** True for a replica that is known to be gone, though its last sign may be fresh. */
  readonly isGone?: (replica: string) => boolean;
  /** Aborts when the process is to stop: its work ends at the end of a page or batch. */
  readonly stop: AbortSignal;
}

export interface PlanRequest {
  readonly by: string;
  readonly drains: readonly DrainName[];
  readonly filter: PlanFilter;
}

export type ShownPlan = Awaited<ReturnType<PlanDesk["show"]>>;

export type PlanDesk = ReturnType<typeof createPlanDesk>;

/** Calls fail with `plan-refused` for what cannot be done now, `not-found`, and `redis-unavailable`. */
export function createPlanDesk(parts: PlanDeskParts) {
  const { acquire, book, clock, identities, replica, version, stop, maxRecords = planLimits.records } = parts;
  const now = new AbortController();
  const running = new Set<Promise<void>>();
  let isMaking = false;
  /** Records of the plans that are applied here: their orders are in memory. */
  let applying = 0;

  const run = (work: Promise<unknown>): void => {
    const ended = work.then(nothing, nothing);
    running.add(ended);
    void ended.then(() => running.delete(ended));
  };
  const signalsOf = (superseded: CoreLease["superseded"], drains: readonly DrainName[]) => ({
    signal: now.signal,
    stopping: AbortSignal.any([stop, ...drains.map((drain) => superseded(drain))]),
  });
  const refuseStopped = (): void => {
    if (stop.aborted) throw planRefused("this replica is being shut down");
  };

  async function settled(): Promise<void> {
    while (running.size > 0) await Promise.all(running);
  }

  async function read(id: PlanId): Promise<SharedPlan> {
    const found = await book.read(id);
    if (found === null) throw unknown(id);
    return found.plan;
  }

  async function audited(act: "plan-stop" | "plan-remove", plan: SharedPlan, order: PersonsOrder) {
    const { core, release } = acquire();
    await auditPlanAct(core, act, plan, order).finally(release);
  }

  /** Begins a plan that the caller makes. One that is passing is no act, so no audit has it. */
  async function keep({ drains, filter, by }: PlanRequest, core: Core, isPassing = false): Promise<Keeper> {
    const claim = newClaim(parts);
    if (!isPassing) await auditPlanAct(core, "plan-make", { id: claim.id, drains }, { by });
    return beginKeeping(parts, claim, { by, drains, filter, documentHash: core.document.hash }, isPassing);
  }

  async function make(request: PlanRequest): Promise<PlanId> {
    const { drains: names, filter } = request;
    refuseStopped();
    if (isMaking) throw planRefused("this replica is making a plan already: wait for its end, or stop it");
    isMaking = true;
    const { core, superseded, release } = acquire();
    const end = (): void => {
      isMaking = false;
      release();
    };
    try {
      if (names.length === 0) throw misused("a plan is of at least one drain");
      const drains = await requireSelection(core, names, filter);
      const keeper = await keep(request, core);
      const signals = signalsOf(superseded, names);
      run(freezePlan({ core, drains, filter, show: "masked", version, signals, keeper }).finally(end));
      return keeper.id;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** `ended`: what became of each drain; null: the person said no. Rejects with what stopped it before. */
  async function apply(
    id: PlanId,
    order: PlanOrder,
    watch: ApplyWatch = {},
  ): Promise<{ readonly ended: Promise<readonly ApplyEnd[] | null> }> {
    refuseStopped();
    const { made, drains, filter } = await read(id);
    if (made === null) throw notWhole(id);
    toWhyOrdered(filter, id, order.why);
    if (applying + made.records > maxRecords) {
      throw planRefused(
        `this replica applies ${applying} records already, and ${maxRecords} is the most at once: wait for its end, stop it, or use a command (redriver apply ${id})`,
      );
    }
    applying += made.records;
    const { core, superseded, release } = acquire();
    const end = (): void => {
      applying -= made.records;
      release();
    };
    try {
      const claim = { id, token: identities.token() };
      await start(claim, order);
      const signals = signalsOf(superseded, drains);
      const ended = applySharedPlan({ ...parts, core, claim, order, signals, watch }).finally(end);
      run(ended);
      return { ended };
    } catch (error) {
      end();
      throw error;
    }
  }

  async function start(claim: PlanClaim, order: PlanOrder): Promise<void> {
    let started = await book.startApply(claim, order, replica);
    if (started.kind === "busy" && parts.isGone?.(started.replica) === true) {
      started = await book.startApply(claim, order, replica, started.replica);
    }
    if (started.kind === "unknown") throw unknown(claim.id);
    if (started.kind === "not-whole") throw notWhole(claim.id);
    if (started.kind === "busy") {
      const { by, drain, replica: of } = started;
      const other = started.id.slice(0, shownIdLength);
      throw planRefused(
        `${by} applies plan ${other} of drain ${drain} already, in replica ${of}, and one plan of a drain is applied at a time: wait for its end, or stop it (redriver plans stop ${other}) and apply the rest of it later`,
      );
    }
  }

  return {
    keep,
    make,
    /** The plan of a file: the same as before if it is there already. */
    async import(file: PlanFile, by: string): Promise<SharedPlan> {
      const { head, sha256 } = file;
      const same = (await book.all()).find(({ made }) => made?.sha256 === sha256);
      if (same !== undefined) return same;
      const { showContent: _, ...filter } = head.flags;
      const drains = head.drains.map(({ drain }) => drain);
      const about = { by, drains, filter, documentHash: head.documentHash };
      const keeper = await beginKeeping(parts, newClaim(parts), about);
      await importPlan(file, keeper);
      return read(keeper.id);
    },
    apply,
    list: () => book.all(),
    /** `report`: what `redriver plan` shows of it; null while it is not whole, and if another version has made it. */
    async show(id: PlanId) {
      const found = await book.read(id);
      if (found === null) throw unknown(id);
      const { plan, summary } = found;
      const made = summary === null ? null : parseJson(summary);
      const isOurs = isObject(made) && made["version"] === version;
      return { plan, report: isOurs ? (made["report"] as PlanReport) : null };
    },
    /** The bytes of its file, which `redriver apply` takes. Null: there is no such plan. */
    async file(id: PlanId): Promise<AsyncIterable<Buffer> | null> {
      const found = await book.read(id);
      if (found === null) return null;
      if (found.plan.made === null) throw notWhole(id);
      return book.lines(id);
    },
    /** Of any replica's work. It ends at the end of a page or batch. */
    async stop(id: PlanId, order: PersonsOrder): Promise<void> {
      const idle = (): RedriverError => planRefused(`nobody works on plan ${id} now`);
      const plan = await read(id);
      if (!isWorkedOn(plan)) throw idle();
      await audited("plan-stop", plan, order);
      const answer = await book.stop(id, order.by);
      if (answer === "unknown") throw unknown(id);
      if (answer === "idle") throw idle();
    },
    async remove(id: PlanId, order: PersonsOrder): Promise<void> {
      const busy = (): RedriverError => planRefused(`plan ${id} is being worked on: stop it first`);
      const plan = await read(id);
      if (isWorkedOn(plan)) throw busy();
      await audited("plan-remove", plan, order);
      const answer = await book.remove(id);
      if (answer === "unknown") throw unknown(id);
      if (answer === "busy") throw busy();
    },
    settled,
    /** After `stop` has aborted: calls end by softMs, and nobody waits longer than hardMs. Never rejects. */
    async close({ softMs, hardMs }: { readonly softMs: number; readonly hardMs: number }): Promise<void> {
      const ended = new AbortController();
      clock.sleep(softMs, ended.signal).then(() => now.abort(), nothing);
      await Promise.race([settled(), clock.sleep(hardMs, ended.signal)]);
      ended.abort();
      now.abort();
    },
  };
}

const nothing = (): void => undefined;

function isWorkedOn({ state }: SharedPlan): boolean {
  return state === "making" || state === "applying" || state === "stopping";
}

function unknown(id: PlanId): RedriverError {
  return new RedriverError("not-found", `there is no plan ${id}: a plan is kept for a day`);
}

function notWhole(id: PlanId): RedriverError {
  return planRefused(`plan ${id} is not whole, so it cannot be applied: make a new one`);
}

/** `why`: a person's reason; absent: a program gave none. */
type PersonsOrder = Pick<PlanOrder, "by"> & Partial<PlanOrder>;

/** Before the act is done. Throws `redis-unavailable`; then it must not be done. */
async function auditPlanAct(
  { drains }: Pick<Core, "drains">,
  act: "plan-make" | "plan-stop" | "plan-remove",
  plan: { readonly id: PlanId; readonly drains: readonly DrainName[] },
  { by, why }: PersonsOrder,
): Promise<void> {
  const text = toWhyOrdered({}, plan.id, why);
  for (const drain of plan.drains.flatMap((name) => drains.get(name) ?? [])) {
    await recordIntent({ ...drain.source, by }, act, [], { drain: drain.config.name, why: text });
  }
}
