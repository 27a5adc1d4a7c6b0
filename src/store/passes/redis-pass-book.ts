import type { DrainName, SourceId } from "../../ports/ids.ts";
import {
  maxLeftShown,
  type CloseVerdict,
  type DrainFacts,
  type OpenPass,
  type OpenVerdict,
  type Pass,
  type PassBook,
  type Window,
} from "../../ports/passes.ts";
import { noReasons, sumSoFar, type SoFar } from "../../ports/tally.ts";
import type { RedisScript } from "../../redis/script-runner.ts";
import { sourceKeys } from "../keys.ts";
import {
  factsScript,
  forceFullScript,
  openScript,
  progressScript,
  recallScript,
  takeWindowScript,
} from "./passes.lua.ts";
import { endWindowScript } from "./end-window.lua.ts";
import type { ScriptRedis } from "../connection-needs.ts";

const minuteMs = 60_000;

type Counts = Omit<DrainFacts, "lastFullAt" | "lastSuccessAt" | "lastOutcome" | "openPass">;
type WithoutNulls<Row> = { readonly [Name in keyof Row]?: NonNullable<Row[Name]> };

/** The row of one drain as the scripts keep it; absent stands for null. */
interface PassRow extends WithoutNulls<Pick<DrainFacts, "lastFullAt" | "lastSuccessAt" | "lastOutcome">> {
  readonly open?: {
    readonly pass: Pass;
    readonly progressAt: number;
    readonly left: number;
    readonly tally?: SoFar;
    /** By window. */
    readonly soFar?: Readonly<Record<string, SoFar>>;
  };
  readonly counts?: WithoutNulls<Counts>;
}

const noCounts: Counts = {
  due: 0,
  held: 0,
  parked: 0,
  inDoubt: 0,
  exact: false,
  reasons: noReasons,
  oldestRecordAt: null,
};

/** Passes of one source's drains in Redis. */
export function createRedisPassBook(redis: ScriptRedis, sourceId: SourceId): PassBook {
  const { passPrefix } = sourceKeys(redis.keyPrefix, sourceId);
  const run = async (script: RedisScript, drain: DrainName, call: object): Promise<unknown> => {
    const row = `${passPrefix}${drain}`;
    const keys = [row, `${row}:windows`, `${row}:due`, `${row}:taken`];
    const reply = await redis.run(script, keys, [JSON.stringify(call)]);
    return typeof reply === "string" ? JSON.parse(reply) : null;
  };

  return {
    async open(request) {
      const answer = (await run(openScript, request.drain, request)) as OpenVerdict & { abandoned?: Pass };
      return { ...answer, abandoned: answer.abandoned ?? null };
    },
    takeWindow: async (drain, passId, windowId) =>
      (await run(takeWindowScript, drain, { passId, windowId })) as {
        pass: Pass;
        window: Window;
        rows: number;
        left: number;
      } | null,
    async progress(drain, passId, windowId, dueLater, soFar) {
      const due = toDueMinutes(dueLater);
      return (await run(progressScript, drain, { passId, windowId, due, soFar })) as number | null;
    },
    async endWindow(drain, passId, windowId, end, tally) {
      const answer = (await run(endWindowScript, drain, {
        passId,
        windowId,
        failed: end.kind === "failed" ? 1 : 0,
        split: end.kind === "done" ? end.split : [],
        tally: { ...tally, oldestRecordAt: tally.oldestRecordAt ?? undefined },
        maxLeft: maxLeftShown,
      })) as CloseVerdict;
      if (answer.kind !== "pass-closed") return answer;
      const { tally: sum } = answer;
      return { ...answer, tally: { ...sum, oldestRecordAt: sum.oldestRecordAt ?? null } };
    },
    async facts(drain) {
      const row = (await run(factsScript, drain, {})) as PassRow | null;
      return row === null ? null : toFacts(row);
    },
    async forceFull(drain) {
      await run(forceFullScript, drain, {});
    },
    async listAgain(drain, minutes) {
      if (minutes.length > 0) await run(recallScript, drain, { minutes });
    },
  };
}

/**
 * Per minute of entry, its start and the earliest time at which something in it becomes due, Unix ms. One
 * list call finds a whole minute again, and an index by record would grow with the backlog.
 */
function toDueMinutes(
  dueLater: readonly { readonly enteredAt: number; readonly dueAt: number }[],
): readonly { readonly minute: number; readonly dueAt: number }[] {
  const minutes = new Map<number, number>();
  for (const { enteredAt, dueAt } of dueLater) {
    const minute = Math.floor(enteredAt / minuteMs) * minuteMs;
    minutes.set(minute, Math.min(dueAt, minutes.get(minute) ?? dueAt));
  }
  return [...minutes].map(([minute, dueAt]) => ({ minute, dueAt }));
}

function toFacts({ open, counts, lastSuccessAt, lastFullAt, lastOutcome }: PassRow): DrainFacts {
  return {
    ...noCounts,
    ...counts,
    lastSuccessAt: lastSuccessAt ?? null,
    lastFullAt: lastFullAt ?? null,
    lastOutcome: lastOutcome ?? null,
    openPass: open === undefined ? null : toOpenPass(open),
  };
}

function toOpenPass({ pass, progressAt, left, tally, soFar = {} }: NonNullable<PassRow["open"]>): OpenPass {
  const parts = [...(tally === undefined ? [] : [tally]), ...Object.values(soFar)];
  const { passId, startedAt } = pass;
  return { passId, startedAt, progressAt, windowsLeft: left, soFar: sumSoFar(parts) };
}
