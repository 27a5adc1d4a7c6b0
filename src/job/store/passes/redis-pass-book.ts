import type { FailureCounts } from "../../contracts/failures.ts";
import type { DrainName, SourceId } from "../../contracts/ids.ts";
import {
  maxLeftShown,
  type AbandonedPass,
  type CloseVerdict,
  type OpenVerdict,
  type PassBook,
  type TakenWindow,
} from "../../contracts/passes.ts";
import { sourceKey } from "../../redis/key-prefix.ts";
import type { RedisScript } from "../../redis/script-runner.ts";
import { sourceKeys } from "../keys.ts";
import { arrivalsScript, countActsScript, factsScript, forceFullScript } from "./facts.lua.ts";
import { openScript } from "./open-pass.lua.ts";
import { progressScript, recallScript, takeWindowScript } from "./windows.lua.ts";
import { endWindowScript } from "./end-window.lua.ts";
import { leaveWindowScript, markWindowScript } from "./lost-workers.lua.ts";
import { toDrainFacts, toStored, toTally, type StoredFacts, type StoredTally } from "./drain-facts.ts";
import { toHourlyArrivals, type StoredArrivals } from "./standing-failures.ts";
import type { ScriptRedis } from "../connection-needs.ts";

const minuteMs = 60_000;

type Found = "care" | "unworkable" | "unlistable" | "workerLostAt";
type Stored = Omit<TakenWindow, Found> & Partial<Pick<TakenWindow, Found>>;

export function createRedisPassBook(redis: ScriptRedis, sourceId: SourceId): PassBook {
  const { passPrefix } = sourceKeys(redis.keyPrefix, sourceId);
  const unworkable = sourceKey(redis.keyPrefix, sourceId, "unworkable");
  const run = async (
    script: RedisScript,
    drain: DrainName,
    call: object,
    failures?: FailureCounts,
  ): Promise<unknown> => {
    const row = `${passPrefix}${drain}`;
    const parts = ["windows", "due", "taken", "found", "standing", "arrivals"];
    const keys = [row, ...parts.map((part) => `${row}:${part}`), unworkable, `${row}:told`];
    const args = [JSON.stringify(call), ...(failures === undefined ? [] : [JSON.stringify(failures)])];
    const reply = await redis.run(script, keys, args);
    return typeof reply === "string" ? JSON.parse(reply) : null;
  };

  return {
    async open(request) {
      const { abandoned, ...answer } = (await run(openScript, request.drain, request)) as OpenVerdict & {
        abandoned?: Omit<AbandonedPass, "tally"> & { readonly tally: StoredTally };
      };
      return { ...answer, abandoned: abandoned ? { ...abandoned, tally: toTally(abandoned.tally) } : null };
    },
    async takeWindow(drain, passId, windowId, owner, hasStalled) {
      const call = { passId, windowId, owner, hasStalled };
      const taken = (await run(takeWindowScript, drain, call)) as Stored | null;
      if (taken === null) return null;
      const { care = null, unworkable = [], unlistable = [], workerLostAt = null, ...window } = taken;
      return { ...window, care, unworkable, unlistable, workerLostAt };
    },
    async markWindow(drain, { passId, windowId, owner }, mark) {
      const call = { passId, windowId, owner, cleared: [], unworkable: [], ...mark };
      return (await run(markWindowScript, drain, call)) as boolean;
    },
    async leaveWindow(drain, { passId, windowId, owner }, isStopping = false) {
      await run(leaveWindowScript, drain, { passId, windowId, owner, isStopping });
    },
    async progress(drain, passId, windowId, dueLater, soFar, failures, owner) {
      const call = { passId, windowId, owner, due: toDueMinutes(dueLater), soFar: toStored(soFar) };
      return (await run(progressScript, drain, call, failures)) as number | "taken-over" | null;
    },
    async endWindow(drain, passId, windowId, end, tally, failures, owner, counted) {
      const call = {
        passId,
        windowId,
        owner,
        failed: end.kind === "done" ? 0 : 1,
        isAbandoned: end.kind === "abandoned",
        split: end.kind === "done" ? end.split : [],
        tally: toStored(tally),
        maxLeft: maxLeftShown,
        counted,
      };
      const answer = (await run(endWindowScript, drain, call, failures)) as CloseVerdict;
      if (answer.kind !== "pass-closed") return answer;
      return { ...answer, tally: toTally(answer.tally) };
    },
    async countActs(drain, id, failures, retentionMs) {
      await run(countActsScript, drain, { id, failures, retentionMs });
    },
    async facts(drain) {
      const stored = (await run(factsScript, drain, {})) as StoredFacts | null;
      return stored === null ? null : toDrainFacts(stored);
    },
    async arrivals(drain) {
      return toHourlyArrivals((await run(arrivalsScript, drain, {})) as StoredArrivals);
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
function toDueMinutes(dueLater: readonly { readonly enteredAt: number; readonly dueAt: number }[]) {
  const minutes = new Map<number, number>();
  for (const { enteredAt, dueAt } of dueLater) {
    const minute = Math.floor(enteredAt / minuteMs) * minuteMs;
    minutes.set(minute, Math.min(dueAt, minutes.get(minute) ?? dueAt));
  }
  return Array.from(minutes, ([minute, dueAt]) => ({ minute, dueAt }));
}
