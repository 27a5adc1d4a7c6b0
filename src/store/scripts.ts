import { RedriverError } from "../ports/errors.ts";
import type { RedisConnection } from "../redis/connect.ts";
import type { RedisScript } from "../redis/script-runner.ts";

/** What a store of scripts alone needs of its connection. */
export type ScriptRedis = Pick<RedisConnection, "run" | "keyPrefix">;
/** What a store needs that also sends commands. */
export type StoreRedis = Pick<RedisConnection, "run" | "command" | "keyPrefix">;

/**
 * The JSON that a script answered. Lua has one kind of table, so an empty list comes as {} and is read as [].
 * Fails with `invariant-broken` if the reply is no text.
 */
export function parseReply<Answer>({ name }: RedisScript<Answer>, reply: unknown): Answer {
  if (typeof reply === "string") return JSON.parse(reply, toList) as Answer;
  throw new RedriverError("invariant-broken", `expected ${name} to answer text, got ${typeof reply}`);
}

function toList(_: string, value: unknown): unknown {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0 ? [] : value;
}
