import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { RedriverError } from "../../contracts/errors.ts";
import type { PlanId } from "../../contracts/ids.ts";
import {
  planDeadAfterMs,
  planLimits,
  sharedPlan,
  type PlanApplyDrain,
  type PlanBook,
  type PlanClaim,
  type PlanLimits,
  type PlanMaking,
  type PlanOrder,
  type SharedPlan,
} from "../../contracts/plans.ts";
import type { RedisScript } from "../../redis/script-runner.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { toHashEntries } from "../hash-entries.ts";
import { sharedKey } from "../../redis/key-prefix.ts";
import {
  appendScript,
  beginScript,
  completeScript,
  endScript,
  giveBackScript,
  readScript,
  removeScript,
  signScript,
  startScript,
  stopScript,
} from "./plans.lua.ts";

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** A part is 256 KiB and one line. Nothing that was written as such unpacks to more than this. */
const maxPartBytes = 64 * 1_048_576;

/** Plans in Redis. Their lines are gzip in base64: a connection takes text alone. */
export function createRedisPlanBook(redis: StoreRedis, limits: PlanLimits = planLimits): PlanBook {
  // In one slot. No source has keys that begin so.
  const key = (part: string): string => sharedKey(redis.keyPrefix, "plans", "{plans}", part);
  const linesPrefix = `${key("lines")}:`;
  const prefixes = [`${key("plan")}:`, `${key("summary")}:`, linesPrefix];
  const run = <Answer>(script: RedisScript, ...args: readonly (string | number)[]): Promise<Answer> =>
    redis.run(script, [key("index")], [...prefixes, ...args]) as Promise<Answer>;
  return {
    async all() {
      const [now, ...rows] = await run<readonly [string, ...StoredRow[]]>(readScript);
      return rows.map((row) => toPlan(row, Number(now)));
    },
    async read(id) {
      type Answer = readonly [string, StoredRow?, (string | null)?];
      const [now, row, summary = null] = await run<Answer>(readScript, id);
      return row === undefined ? null : { plan: toPlan(row, Number(now)), summary };
    },
    async *lines(id) {
      const key = linesPrefix + id;
      const parts = Number(await redis.command("LLEN", key));
      if (parts === 0) throw gone(id);
      for (let part = 0; part < parts; part += 1) {
        const text = await redis.command("LINDEX", key, part);
        if (typeof text !== "string") throw gone(id);
        yield await unzip(Buffer.from(text, "base64"), { maxOutputLength: maxPartBytes });
      }
    },
    begin: ({ id, token }, about, replica, isPassing = false) =>
      run(beginScript, id, token, JSON.stringify(about), replica, limits.plans, isPassing ? "" : "1"),
    async append({ id, token }, part, text) {
      const packed = (await zip(text)).toString("base64");
      return run(appendScript, id, token, part, packed, limits.bytes);
    },
    complete: ({ id, token }, made, summary, parts) =>
      run(completeScript, id, token, JSON.stringify(made), summary, parts),
    async startApply({ id, token }, order, replica, dead = "") {
      const answer = await run<readonly string[]>(
        startScript,
        id,
        token,
        JSON.stringify(order),
        replica,
        dead,
      );
      const [kind, drain = "", other = "null", of = "", plan = ""] = answer;
      if (kind !== "busy") return { kind: kind as "started" | "unknown" | "not-whole" };
      const { by = "" } = { ...(toJson(other) as Partial<PlanOrder> | null) };
      return { kind, id: plan as PlanId, drain, by, replica: of };
    },
    async sign({ id, token }, progress) {
      const [kind, stop = ""] = await run<readonly string[]>(signScript, id, token, ...toField(progress));
      return kind === "mine" ? { kind, stoppedBy: stop === "" ? null : stop } : { kind: "lost" };
    },
    end: ({ id, token }: PlanClaim, state, why, progress) =>
      run(endScript, id, token, state, why ?? "", ...toField(progress)),
    giveBack: ({ id, token }) => run(giveBackScript, id, token),
    stop: (id, by) => run(stopScript, id, by),
    remove: (id) => run(removeScript, id),
  };
}

function gone(id: PlanId): RedriverError {
  return new RedriverError("plan-refused", `plan ${id} is gone: a plan is kept for a day`);
}

function toField(progress: PlanMaking | readonly PlanApplyDrain[]): readonly [string, string] {
  return ["drain" in progress ? "making" : "progress", JSON.stringify(progress)];
}

type StoredRow = readonly [id: string, fields: unknown];

/** A row that is none of this version is shown as unreadable: it can be removed, and hides no other plan. */
function toPlan([id, reply]: StoredRow, now: number): SharedPlan {
  const fields = new Map(toHashEntries(reply));
  const text = (name: string): string | null => fields.get(name) ?? null;
  const json = (name: string): unknown => toJson(text(name) ?? "null");
  const number = (name: string): number => Number(text(name) ?? NaN);
  const order = json("order") as object | null;
  const row = sharedPlan.safeParse({
    id,
    ...(json("about") as object | null),
    createdAt: number("createdAt"),
    expiresAt: number("expiresAt"),
    state: text("state"),
    why: text("why"),
    replica: text("replica") ?? "",
    stoppedBy: text("stop"),
    making: json("making"),
    made: json("made"),
    apply: order && {
      ...order,
      startedAt: number("startedAt"),
      endedAt: fields.has("endedAt") ? number("endedAt") : null,
      drains: json("progress") ?? [],
    },
  });
  if (!row.success) return { ...unreadable, id: id as PlanId, createdAt: now, expiresAt: now };
  return { ...row.data, ...toState(row.data, now - number("signAt")) };
}

const unreadable: Omit<SharedPlan, "id" | "createdAt" | "expiresAt"> = {
  by: "",
  drains: [],
  filter: {},
  documentHash: "",
  state: "unreadable",
  why: "its row in Redis is of another version, or was changed",
  replica: "",
  stoppedBy: null,
  making: null,
  made: null,
  apply: null,
};

/** What is no JSON fits no plan. */
function toJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return false;
  }
}

/** A replica that has died could not record its end, nor see that it was stopped. */
function toState(
  { state, why, stoppedBy, replica }: SharedPlan,
  silentMs: number,
): Pick<SharedPlan, "state" | "why"> {
  if (state !== "making" && state !== "applying") return { state, why };
  // Also one without a sign.
  if (!(silentMs <= planDeadAfterMs)) {
    return { state: "interrupted", why: `replica ${replica} has ended, or has lost Redis` };
  }
  return { state: stoppedBy === null ? state : "stopping", why };
}
