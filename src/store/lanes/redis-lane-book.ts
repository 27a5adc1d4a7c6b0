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
import {
  askScript,
  deliveredScript,
  dueScript,
  giveBackScript,
  checkedScript,
  comeBacksScript,
  sentScript,
} from "./lanes.lua.ts";
import { busiestScript, viewsOfScript, viewsScript } from "./lane-views.lua.ts";

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

type Rows<Counted> = Omit<Counted, "lanes"> & { readonly lanes: readonly LaneRow[] };

/**
 * The lanes of one source in Redis. `grantLifeMs`: so long a grant may be published (`grantLifeMs` of the
 * ledger's limits). `identity` names a call, so that it counts once when it is sent again.
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
      const moves = await run(comeBacksScript, { lanes, comeBacks: comeBacks.map(toRecorded) });
      return toList(moves as LaneChange[]).map(toChange);
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
      const ofStep = comeBacks.filter((one) => one.lane === lane && one.step === step).map(toRecorded);
      return toChange((await run(checkedScript, { lane, step, checkedAt, comeBacks: ofStep })) as LaneChange);
    },
    async delivered({ lane, step }, parentDlqId) {
      const parent = toShort(parentDlqId);
      return toChange((await run(deliveredScript, { lane, step, parent })) as LaneChange);
    },
    async views(max) {
      const { lanes, counts } = (await run(viewsScript, { max })) as Rows<LanesCounted>;
      return { lanes: toList(lanes).map(toView), counts };
    },
    async viewsOf(lanes) {
      if (lanes.length === 0) return [];
      const found = (await run(viewsOfScript, { lanes })) as Pick<Rows<LanesCounted>, "lanes">;
      return toList(found.lanes).map(toView);
    },
    async busiest(max) {
      const { lanes, counts, totals } = (await run(busiestScript, { max })) as Rows<LanesCounted> & {
        readonly totals: LaneTotals;
      };
      return { lanes: toList(lanes).map(toView), counts, totals };
    },
  };
}

function toChange(change: LaneChange): LaneChange {
  return change.kind === "moved" ? { ...change, resumeMinutes: toList(change.resumeMinutes) } : change;
}

function toRecorded({ lane, step, parentDlqId, kind, status }: LaneComeBack): object {
  return { lane, step, parent: toShort(parentDlqId), said: `${saidOf[kind]}${status}` };
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
