import { createHash } from "node:crypto";
import type { SourceId } from "../../ports/ids.ts";
import type {
  LaneAnswer,
  LaneBook,
  LaneChange,
  LaneComeBack,
  LaneReady,
  LanesCounted,
  LaneTotals,
  LaneView,
  LaneWatch,
} from "../../ports/lanes.ts";
import type { RedisScript } from "../../redis/script-runner.ts";
import type { RedisConnection } from "../../redis/connect.ts";
import { laneKeys } from "../keys.ts";
import { parseReply, toList } from "../script-reply.ts";
import { maxStep } from "./lane-numbers.ts";
import { askScript, dueScript, giveBackScript, proveScript, sentScript } from "./lanes.lua.ts";
import { viewsScript } from "./lane-views.lua.ts";

/** A lane as the scripts keep it, as far as it is shown; absent stands for null. */
interface LaneRow extends Omit<
  LaneView,
  "step" | "size" | "sent" | "comeBacks" | "nextAt" | "isShaky" | "totals" | "lastUsedAt"
> {
  readonly step: {
    readonly step: number;
    readonly size: number;
    readonly sent: number;
    /** Parent → d or r, and the status. */
    readonly back: Readonly<Record<string, string>>;
    /** Parent → 1, or a and the status. */
    readonly delivered: Readonly<Record<string, 1 | string>>;
  };
  readonly nextAt?: number;
  readonly isShaky?: true;
  readonly canaries: number;
  readonly comeBacks: number;
  readonly halts: number;
  readonly usedAt: number;
}

interface BusiestRows extends Omit<LanesCounted, "lanes"> {
  readonly lanes: readonly LaneRow[];
  readonly totals: LaneTotals;
}

type LaneMove = Extract<LaneChange, { kind: "moved" }>;

interface Proof {
  readonly step: number;
  readonly parent: string;
  /** As in `back` and `delivered` of a row. */
  readonly said: 1 | string;
}

interface ProvedLane {
  readonly lane: string;
  readonly steps: readonly number[];
  readonly proofs: readonly Proof[];
}

/**
 * The lanes of one source in Redis. `grantLifeMs` is how long a grant may be published, as in the ledger's
 * limits. `identity` names a call, so that a call that is sent again counts once.
 */
export function createRedisLaneBook(
  redis: Pick<RedisConnection, "run" | "keyPrefix">,
  sourceId: SourceId,
  grantLifeMs: number,
  identity: { token(): string },
): LaneBook {
  const keys = laneKeys(redis.keyPrefix, sourceId);
  const run = async (script: RedisScript, call: object): Promise<unknown> => {
    const reply = await redis.run(
      script,
      [
        keys.canary,
        keys.ramping,
        keys.open,
        keys.halted,
        keys.due,
        keys.at,
        keys.call(identity.token()),
        keys.records,
        keys.totals,
      ],
      [keys.lanePrefix, JSON.stringify(call), grantLifeMs],
    );
    return parseReply(script, reply);
  };
  const prove = async (lanes: readonly ProvedLane[], checkedAt?: number): Promise<readonly LaneChange[]> => {
    const moves = (await run(proveScript, { lanes, checkedAt })) as readonly LaneMove[];
    return toList(moves).map((move) => ({ ...move, resumeMinutes: toList(move.resumeMinutes) }));
  };
  const viewsOf = async (call: object) => {
    const reply = (await run(viewsScript, call)) as BusiestRows;
    return { ...reply, lanes: toList(reply.lanes).map(toView) };
  };

  return {
    async ask(drain, given, asks) {
      const config = { ...given, openFrom: Math.min(given.openFrom, maxStep) };
      const reply = (await run(askScript, { drain, config, asks })) as {
        readonly at: number;
        readonly answers: readonly (Omit<LaneAnswer, "until"> & { readonly until?: number })[];
      };
      return {
        at: reply.at,
        answers: toList(reply.answers).map((answer) => ({
          ...answer,
          avoid: toList(answer.avoid),
          until: answer.until ?? null,
        })),
      };
    },
    async sent(sent) {
      if (sent.length > 0) await run(sentScript, { sent });
    },
    async giveBack(unused) {
      if (unused.length > 0) await run(giveBackScript, { unused });
    },
    async recordComeBacks(comeBacks) {
      if (comeBacks.length === 0) return [];
      const lanes = [...new Set(comeBacks.map(({ lane }) => lane))];
      return prove(
        lanes.map((lane) => {
          const proofs = comeBacks.filter((one) => one.lane === lane).map(toProof);
          return { lane, steps: proofs.map(({ step }) => step), proofs };
        }),
      );
    },
    async due() {
      const { at, watches, ready } = (await run(dueScript, {})) as {
        readonly at: number;
        readonly watches: readonly LaneWatch[];
        readonly ready: readonly LaneReady[];
      };
      return {
        at,
        watches: toList(watches).toSorted((a, b) =>
          a.lane === b.lane ? a.step - b.step : a.lane < b.lane ? -1 : 1,
        ),
        ready: inOrder(toList(ready)),
      };
    },
    async checked({ lane, step }, checkedAt, comeBacks) {
      const proofs = comeBacks.filter((one) => one.lane === lane && one.step === step).map(toProof);
      return (await prove([{ lane, steps: [step], proofs }], checkedAt))[0] ?? { kind: "none" };
    },
    async delivered({ lane, step }, parentDlqId) {
      const proofs = [{ step, parent: toShort(parentDlqId), said: 1 as const }];
      return (await prove([{ lane, steps: [step], proofs }]))[0] ?? { kind: "none" };
    },
    async views(max) {
      const { lanes, counts } = await viewsOf({ max, by: "state" });
      return { lanes, counts };
    },
    async viewsOf(lanes) {
      return lanes.length === 0 ? [] : (await viewsOf({ lanes })).lanes;
    },
    busiest: (max) => viewsOf({ max, by: "records" }),
  };
}

function toProof({ step, parentDlqId, kind, status }: LaneComeBack): Proof {
  return { step, parent: toShort(parentDlqId), said: `${saidOf[kind]}${status}` };
}

const saidOf = { down: "d", refused: "r", again: "a" } as const;

function toShort(dlqId: string): string {
  return createHash("sha256").update(dlqId).digest("base64url").slice(0, 10);
}

function toView({
  lane,
  drain,
  origin,
  state,
  since,
  why,
  step,
  nextAt,
  isShaky,
  usedAt,
  ...totals
}: LaneRow): LaneView {
  const said = Object.values(step.back);
  const down = said.filter((one) => one.startsWith("d")).length;
  const { canaries, comeBacks, halts } = totals;
  return {
    lane,
    step: step.step,
    drain,
    origin,
    state,
    since,
    why,
    size: step.size,
    sent: Math.max(step.sent, said.length + Object.keys(step.delivered).length),
    comeBacks: { down, refused: said.length - down },
    nextAt: nextAt ?? null,
    isShaky: isShaky ?? false,
    totals: { canaries, comeBacks, halts },
    lastUsedAt: usedAt,
  };
}

/**
 * By drain, the minutes of each ascending and each once: several of its lanes may have met messages in one
 * minute.
 */
function inOrder(ready: readonly LaneReady[]): readonly LaneReady[] {
  return ready
    .map(({ drain, resumeMinutes }) => ({
      drain,
      resumeMinutes: [...new Set(resumeMinutes)].toSorted((a, b) => a - b),
    }))
    .toSorted((a, b) => (a.drain < b.drain ? -1 : 1));
}
