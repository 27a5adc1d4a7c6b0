import type { Core } from "../compose/build-core.ts";
import type { BuiltSource } from "../compose/build-source.ts";
import type { DrainName } from "../contracts/ids.ts";
import type { CloseVerdict } from "../contracts/passes.ts";
import type { WorkQueue } from "../contracts/work-queue.ts";
import type { CallClass } from "../contracts/source-pauses.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import type { Health } from "../source/source-health.ts";
import { notSentCoolMs } from "../page/publish/let-cool.ts";

/** Delay after the end of a source pause: by then the records that cooled for it are due too. */
const afterPauseMs = 250;
const firstWaitMs = 30_000;
const maxWaitMs = 10 * 60_000;
/** A pass that meets no answers takes minutes to end. A failure so much later is another outage. */
const inARowWithinMs = 60 * 60_000;

/** Unix ms; 0: there is none. */
function endOfPause(now: Health): number {
  return now.state === "waiting" ? now.until + afterPauseMs : 0;
}

export type EarlyTicks = ReturnType<typeof createEarlyTicks>;

/**
 * Ticks and sweeps that do not wait for the schedule, which may be hours away.
 *
 * Records held by a source pause, a halt or an outage continue when that is over. After a loss of Redis's
 * writes, every drain of the source gets a tick while a deduplication id can still show what was published. A
 * lost tick only costs the wait for the schedule, so none of these fails.
 */
export function createEarlyTicks(queue: Pick<WorkQueue, "addTick" | "addSweep">) {
  const lossesSeen = new WeakMap<BuiltSource, number>();
  const owed = new Set<DrainName>();
  /** `coolAt`, by clock.monotonic(): records that a halt refused are due again by then. */
  const held = new Map<DrainName, { readonly callClass: CallClass; readonly coolAt: number }>();
  /** The trial that a drain got a tick for. It needs one batch; the drains it turns away get ticks at its end. */
  const tickedFor = new Map<DrainName, Health>();
  /** Of drains whose source did not answer: the last wait, and its end by this process's clock. */
  const waits = new Map<DrainName, { readonly waitMs: number; readonly endsAt: number }>();
  /** Since their last pass was opened. */
  const unanswered = new Set<DrainName>();
  const tick = (drain: DrainName, at: number): Promise<void> =>
    queue.addTick(drain, at).catch(() => undefined);
  /** A pass that is open may have gone by already, so its end does not count. */
  const tickForNewPass = (drain: DrainName, at: number): Promise<void> => {
    owed.add(drain);
    return tick(drain, at);
  };
  /** After 30 s, 1, 2 … 10 min, unless the schedule comes first or a wait is running already. */
  const tickWhenAnswered = async ({ config, source: { clock, health } }: DrainRuntime): Promise<void> => {
    const { name, schedule } = config;
    const now = clock.monotonic();
    const last = waits.get(name);
    if (last !== undefined && last.endsAt > now) return;
    const isInARow = last !== undefined && now - last.endsAt < inARowWithinMs;
    const waitMs = isInARow ? Math.min(last.waitMs * 2, maxWaitMs) : firstWaitMs;
    // Only the queue knows the next time of a cron pattern, which may be hours away.
    if (schedule.kind === "every" && schedule.everyMs <= waitMs) return;
    waits.set(name, { waitMs, endsAt: now + waitMs });
    await tick(name, Math.max(clock.now() + waitMs, endOfPause(health.current())));
  };

  const earlyTicks = {
    /** No pass could be opened before this, Unix ms. */
    notOpened: (drain: DrainName, until: number) => tick(drain, until + afterPauseMs),
    opened(drain: DrainName): void {
      owed.delete(drain);
      unanswered.delete(drain);
    },
    /** Records of this drain were left out because these calls are halted in this process. */
    heldByHalt(drain: DrainRuntime, callClass: CallClass): void {
      const { name } = drain.config;
      const coolAt = drain.source.clock.monotonic() + (callClass === "batch" ? notSentCoolMs : 0);
      // Listing resumes before publishing, so a drain held for listing keeps that shorter wait.
      held.set(name, { callClass: held.get(name)?.callClass === "dlq" ? "dlq" : callClass, coolAt });
    },
    /** No pass could be opened, or a window was given up, because the service did not answer. */
    unanswered(drain: DrainRuntime): Promise<void> {
      unanswered.add(drain.config.name);
      return tickWhenAnswered(drain);
    },
    async closed(
      drain: DrainRuntime,
      { outcome, tally }: Pick<Extract<CloseVerdict, { kind: "pass-closed" }>, "outcome" | "tally">,
    ): Promise<void> {
      const { config, source } = drain;
      const { reasons } = tally;
      const now = source.clock.now();
      if (outcome === "complete") waits.delete(config.name);
      if (owed.has(config.name)) return tick(config.name, now);
      // Nothing seems to be due, but records may have been skipped: the next pass is full and shows it.
      if (tally.pagesBehindDeletes > 0 && tally.due + tally.inDoubt === 0) return tick(config.name, now);
      if (outcome !== "complete" && unanswered.has(config.name)) await tickWhenAnswered(drain);
      const health = source.health.current("batch");
      if ((reasons.due["not-sent"] ?? 0) === 0) return;
      if (health.state === "halted") return earlyTicks.heldByHalt(drain, "batch");
      await tick(config.name, endOfPause(health) || now + afterPauseMs);
    },
    /** Records of this source may be left for the sweep. */
    async afterDeletes({ config, clock, health, sweepRequest }: SourceRuntime): Promise<void> {
      const wishedMs = sweepRequest.take();
      const at = endOfPause(health.current()) || (wishedMs === null ? 0 : clock.now() + wishedMs);
      if (at > 0) await queue.addSweep(config.id, at).catch(() => undefined);
    },
    /** Ticks the drains of sources that have lost writes since the last call. */
    async afterLosses({ sources, drains }: Pick<Core, "sources" | "drains">): Promise<void> {
      for (const source of sources.values()) {
        const losses = source.losses();
        if (losses === (lossesSeen.get(source) ?? 0)) continue;
        lossesSeen.set(source, losses);
        for (const [name, drain] of drains) {
          if (drain.source === source.runtime) await tickForNewPass(name, drain.source.clock.now());
        }
      }
    },
    /** Ticks the drains with a lane that can go on, and sweeps for steps that will need a listing check. */
    async afterLanes({ sources, drains }: Pick<Core, "sources" | "drains">): Promise<void> {
      for (const { runtime } of sources.values()) {
        const { lanes, clock, config } = runtime;
        for (const at of lanes.takeNext()) await queue.addSweep(config.id, at).catch(() => undefined);
        for (const name of lanes.takeReady()) {
          if (drains.get(name)?.config.mode === "live") await tickForNewPass(name, clock.now());
        }
      }
    },
    /** Ticks the drains of halts that are over, and of trials that need a batch. */
    async afterHalts({ drains }: Pick<Core, "drains">): Promise<void> {
      for (const [name, { callClass, coolAt }] of new Map(held)) {
        const source = drains.get(name)?.source;
        if (source === undefined) {
          held.delete(name);
          continue;
        }
        const now = source.health.current(callClass);
        const standing = source.health.standing();
        const isTried = callClass === "batch" && standing.state === "halted";
        if (now.state === "halted" || (isTried && tickedFor.get(name) === standing)) continue;
        held.delete(name);
        if (isTried) tickedFor.set(name, standing);
        else tickedFor.delete(name);
        const { clock } = source;
        const coolMs = Math.max(0, coolAt - clock.monotonic());
        await tickForNewPass(name, Math.max(clock.now() + coolMs, endOfPause(now)));
      }
    },
  };
  return earlyTicks;
}
