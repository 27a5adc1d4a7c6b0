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
import { RedriverError } from "../../../job/contracts/errors.ts";
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
import { toWhyOrdered } from "./discard.ts";
import { freezePlan, type PlanReport } from "./freeze-plan.ts";
import { importPlan } from "./import-plan.ts";
import { beginKeeping, newClaim, type Keeper, type KeepParts } from "./keep-plan.ts";
import { requireSelection } from "./require-selection.ts";
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

export interface ShownPlan {
  readonly plan: SharedPlan;
  /** What `redriver plan` shows of it; null while it is not whole, and if another version has made it. */
  readonly report: PlanReport | null;
}

/** `ended`: what became of each drain; null: the person said no. Rejects with what stopped it before anything was done. */
export interface Applying {
  readonly ended: Promise<readonly ApplyEnd[] | null>;
}

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
    // How it ended is in the plan's row.
    const ended = work.then(
      () => undefined,
      () => undefined,
    );
    running.add(ended);
    void ended.then(() => running.delete(ended));
  };
  const signalsOf = (superseded: CoreLease["superseded"], drains: readonly DrainName[]) => ({
    signal: now.signal,
    stopping: AbortSignal.any([stop, ...drains.map((drain) => superseded(drain))]),
  });
  const refuseStopped = (): void => {
    if (stop.aborted) throw refused("this replica is being shut down");
  };

  async function settled(): Promise<void> {
    while (running.size > 0) await Promise.all(running);
  }

  async function read(id: PlanId): Promise<SharedPlan> {
    const found = await book.read(id);
    if (found === null) throw unknown(id);
    return found.plan;
  }

  async function audited(
    act: "plan-stop" | "plan-remove",
    plan: SharedPlan,
    order: PersonsOrder,
  ): Promise<void> {
    const { core, release } = acquire();
    try {
      await auditPlanAct(core, act, plan, order);
    } finally {
      release();
    }
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
    if (isMaking) throw refused("this replica is making a plan already: wait for its end, or stop it");
    isMaking = true;
    const { core, superseded, release } = acquire();
    const end = (): void => {
      isMaking = false;
      release();
    };
    try {
      if (names.length === 0) throw new RedriverError("command-misused", "a plan is of at least one drain");
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

  async function apply(id: PlanId, order: PlanOrder, watch: ApplyWatch = {}): Promise<Applying> {
    refuseStopped();
    const { made, drains, filter } = await read(id);
    if (made === null) throw notWhole(id);
    toWhyOrdered(filter, id, order.why);
    if (applying + made.records > maxRecords) {
      throw refused(
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

  /** Throws `plan-refused` if it cannot be applied now. */
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
      throw refused(
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
    /** A person's order; its reason goes into the audit. What is done already is skipped. */
    apply,
    list: () => book.all(),
    async show(id: PlanId): Promise<ShownPlan> {
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
      const idle = (): RedriverError => refused(`nobody works on plan ${id} now`);
      const plan = await read(id);
      if (!isWorkedOn(plan)) throw idle();
      await audited("plan-stop", plan, order);
      const answer = await book.stop(id, order.by);
      if (answer === "unknown") throw unknown(id);
      if (answer === "idle") throw idle();
    },
    async remove(id: PlanId, order: PersonsOrder): Promise<void> {
      const busy = (): RedriverError => refused(`plan ${id} is being worked on: stop it first`);
      const plan = await read(id);
      if (isWorkedOn(plan)) throw busy();
      await audited("plan-remove", plan, order);
      const answer = await book.remove(id);
      if (answer === "unknown") throw unknown(id);
      if (answer === "busy") throw busy();
    },
    /** Resolves when nothing of this process works on a plan. */
    settled,
    /** After `stop` has aborted: calls end by softMs, and nobody waits longer than hardMs. Never rejects. */
    async close({ softMs, hardMs }: { readonly softMs: number; readonly hardMs: number }): Promise<void> {
      const ended = new AbortController();
      clock.sleep(softMs, ended.signal).then(
        () => now.abort(),
        () => undefined,
      );
      await Promise.race([settled(), clock.sleep(hardMs, ended.signal)]);
      ended.abort();
      now.abort();
    },
  };
}

function isWorkedOn({ state }: SharedPlan): boolean {
  return state === "making" || state === "applying" || state === "stopping";
}

function refused(why: string): RedriverError {
  return new RedriverError("plan-refused", why);
}

function unknown(id: PlanId): RedriverError {
  return new RedriverError("not-found", `there is no plan ${id}: a plan is kept for a day`);
}

function notWhole(id: PlanId): RedriverError {
  return refused(`plan ${id} is not whole, so it cannot be applied: make a new one`);
}

/** What a person does with a plan, in the audit of each of its drains. An apply has entries of its own. */

interface PersonsOrder {
  readonly by: string;
  /** A person's reason; absent: a program gave none. */
  readonly why?: string | undefined;
}

/**
 * Before the act is done. A drain that the document has no longer has no audit to be in. Throws
 * `redis-unavailable`; then it must not be done.
 */
async function auditPlanAct(
  { drains }: Pick<Core, "drains">,
  act: "plan-make" | "plan-stop" | "plan-remove",
  plan: { readonly id: PlanId; readonly drains: readonly DrainName[] },
  { by, why }: PersonsOrder,
): Promise<void> {
  for (const name of plan.drains) {
    const drain = drains.get(name);
    if (drain === undefined) continue;
    await recordIntent({ ...drain.source, by }, act, [], {
      drain: name,
      why: toWhyOrdered({}, plan.id, why),
    });
  }
}
