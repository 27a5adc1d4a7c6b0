import { groupBy } from "../../../group-items-by-key.ts";
import type { SourceId } from "../../contracts/ids.ts";
import type { LaneBook, LaneChange, LaneComeBack, LaneReady, StepRef } from "../../contracts/lanes.ts";
import type { ServiceLoad } from "../../contracts/service.ts";
import { type RedisScript, parseReply } from "../../redis/script-runner.ts";
import { sourceKey } from "../../redis/key-prefix.ts";
import { toShortHash } from "../keys.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { maxStep } from "./lane-constants.ts";
import { askScript, giveBackScript, sentScript } from "./lane-grants.lua.ts";
import { dueScript, proveScript } from "./lane-verdicts.lua.ts";
import { probeNowScript, resetScript, viewsScript } from "./lane-views-and-orders.lua.ts";

interface Proof {
  readonly step: number;
  readonly parent: string;
  /** `d`, `r` or `a` and the status of a come-back; 1: a delivery. */
  readonly said: 1 | string;
  /** From publish to failure, ms. */
  readonly took?: number;
}

/**
 * The lanes of one source in Redis. `grantLifeMs` is how long a grant may be published, as in the ledger's
 * limits. `identity` names a call, so that a call that is sent again counts once.
 */
export function createRedisLaneBook(
  redis: StoreRedis,
  sourceId: SourceId,
  grantLifeMs: number,
  identity: { token(): string },
): LaneBook {
  const key = (...parts: readonly string[]): string =>
    sourceKey(redis.keyPrefix, sourceId, "lanes", ...parts);
  const [due, delivered] = [key("due"), key("delivered")];
  const before = [key("canary"), key("ramping"), key("open"), key("halted"), due, key("at")];
  const behind = [key("records"), key("totals"), key("unknown"), delivered];
  const run = async <Answer>(script: RedisScript<Answer>, what: object): Promise<Answer> => {
    const keys = [...before, key("call", identity.token()), ...behind];
    const args = [`${key("lane")}:`, JSON.stringify(what), grantLifeMs];
    return parseReply(script, await redis.run(script, keys, args));
  };
  const proveStep = async (
    { lane, step }: StepRef,
    proofs: readonly Proof[],
    listing: { readonly checkedAt?: number; readonly service?: ServiceLoad | undefined } = {},
  ): Promise<LaneChange> =>
    (await run(proveScript, { lanes: [{ lane, steps: [step], proofs }], ...listing }))[0] ?? { kind: "none" };

  return {
    ask(drain, given, asks) {
      const config = { ...given, openFrom: Math.min(given.openFrom, maxStep) };
      return run(askScript, { drain, config, asks });
    },
    async sent(sent) {
      if (sent.length > 0) await run(sentScript, { sent });
    },
    async giveBack(unused) {
      if (unused.length > 0) await run(giveBackScript, { unused });
    },
    async recordComeBacks(comeBacks) {
      if (comeBacks.length === 0) return [];
      const lanes = [...groupBy(comeBacks, ({ lane }) => lane)].map(([lane, ofLane]) => ({
        lane,
        steps: ofLane.map(({ step }) => step),
        proofs: ofLane.map(toProof),
      }));
      return run(proveScript, { lanes });
    },
    async due() {
      const answer = await run(dueScript, {});
      const watches = answer.watches.toSorted((a, b) =>
        a.lane === b.lane ? a.step - b.step : a.lane < b.lane ? -1 : 1,
      );
      return { at: answer.at, watches, ready: inOrder(answer.ready) };
    },
    areWaiting: async () => (await redis.command("EXISTS", due)) === 1,
    checked(step, checkedAt, comeBacks, service) {
      const ofStep = comeBacks.filter((one) => one.lane === step.lane && one.step === step.step);
      return proveStep(step, ofStep.map(toProof), { checkedAt, service });
    },
    delivered: (step, parentDlqId) =>
      proveStep(step, [{ step: step.step, parent: toShort(parentDlqId), said: 1 }]),
    async deliveredOf(parentDlqIds) {
      const all = new Set((await redis.command("ZRANGE", delivered, 0, -1)) as readonly string[]);
      return new Set(parentDlqIds.filter((id) => all.has(toShort(id))));
    },
    views: (max) => run(viewsScript, { max, by: "state" }),
    async viewsOf(lanes) {
      return lanes.length === 0 ? [] : (await run(viewsScript, { lanes })).lanes;
    },
    async viewsIn(state, skip, max) {
      return (await run(viewsScript, { max, by: "one", state, skip })).lanes;
    },
    busiest: (max) => run(viewsScript, { max, by: "records" }),
    probeNow: (lane) => run(probeNowScript, { lane }),
    reset: (lane) => run(resetScript, { lane }),
  };
}

function toProof({ step, parentDlqId, kind, status, tookMs }: LaneComeBack): Proof {
  const proof = { step, parent: toShort(parentDlqId), said: `${saidOf[kind]}${status}` };
  return tookMs === undefined ? proof : { ...proof, took: tookMs };
}

const saidOf = { down: "d", refused: "r", again: "a" } as const;

function toShort(dlqId: string): string {
  return toShortHash(dlqId, 10);
}

/** By drain, the minutes of each ascending and each once: several of its lanes may have met messages in one minute. */
function inOrder(ready: readonly LaneReady[]): readonly LaneReady[] {
  return ready
    .map(({ resumeMinutes, ...one }) => ({
      ...one,
      resumeMinutes: [...new Set(resumeMinutes)].toSorted((a, b) => a - b),
    }))
    .toSorted((a, b) => (a.drain < b.drain ? -1 : 1));
}
