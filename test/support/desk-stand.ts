import { randomUUID } from "node:crypto";
import { expect, onTestFinished } from "vitest";
import { openLiveCore } from "../../src/job/compose/open-core.ts";
import { randomIdentities, systemClock } from "../../src/system-world.ts";
import { createTeardown } from "../../src/teardown.ts";
import { createPlanDesk } from "../../src/people/operations/plans/plan-desk.ts";
import type { DrainName, PlanId } from "../../src/job/contracts/ids.ts";
import type { PlanFilter, PlanOrder, SharedPlan } from "../../src/job/contracts/plans.ts";
import { load, settingsOf } from "./loaded-document.ts";

export type DeskReplica = Awaited<ReturnType<typeof startDesk>>;

export interface DeskOptions {
  /** Of commands: address, token, Redis. */
  readonly env: Readonly<Record<string, string>>;
  readonly document: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Of redriver. */
  readonly version?: string;
}

/** A replica of its own: its connection, its sources, its plan desk; without a queue. */
export async function startDesk({ env, document, settings: flags = {}, version = "test" }: DeskOptions) {
  const settings = settingsOf({ env, flags });
  const teardown = createTeardown();
  const live = openLiveCore({
    settings,
    document: load(document).document,
    env,
    events: { emit: () => undefined },
    teardown,
  });
  const stop = new AbortController();
  const name = `replica-${randomUUID().slice(0, 6)}`;
  const desk = createPlanDesk({
    acquire: () => live.acquire(),
    book: live.current().plans,
    clock: systemClock,
    identities: randomIdentities,
    replica: name,
    version,
    stop: stop.signal,
  });
  /** As the daemon does at SIGTERM. */
  const shutDown = async (): Promise<void> => {
    stop.abort();
    await desk.close({ softMs: 10_000, hardMs: 15_000 });
  };
  onTestFinished(async () => {
    stop.abort();
    await desk.close({ softMs: 0, hardMs: 5_000 });
    await teardown.run(2_000);
  });
  await live.current().redis.ready(5_000);
  return { desk, live, name, shutDown };
}

export async function planOf({ desk }: DeskReplica, id: PlanId): Promise<SharedPlan> {
  return (await desk.show(id)).plan;
}

/** Applies it again and again until all is done: what a dead one had begun is taken over first. */
export async function applyToEnd(replica: DeskReplica, id: PlanId, order: PlanOrder): Promise<void> {
  const apply = async () => {
    await replica.desk.apply(id, order);
    await replica.desk.settled();
    return (await planOf(replica, id)).state;
  };
  await expect.poll(apply, { timeout: 60_000, interval: 1_000 }).toBe("applied");
}

/** Makes a plan, and waits until this replica has ended its work. */
export async function makeHere(
  replica: DeskReplica,
  filter: PlanFilter = {},
  drains = ["orders" as DrainName],
): Promise<PlanId> {
  const id = await replica.desk.make({ drains, filter, by: "ada" });
  await replica.desk.settled();
  return id;
}
