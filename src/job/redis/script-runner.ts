import { createHash } from "node:crypto";
import { RedriverError } from "../contracts/errors.ts";

/** A Lua text behind its contract: KEYS, ARGV, returns, effects. `answer` is never there: the type of its JSON. */
export interface RedisScript<Answer = unknown> {
  readonly answer?: Answer;
  /** For errors. */
  readonly name: string;
  readonly lua: string;
  /** SHA-1 of the text, in hex, as EVALSHA takes it. */
  readonly sha: string;
}

export function defineScript<Answer>(name: string, lua: string): RedisScript<Answer> {
  return { name, lua, sha: createHash("sha1").update(lua).digest("hex") };
}

/** The same from a template, behind what several scripts begin with: luaScript("name", prelude)`text`. */
export function luaScript<Answer = unknown>(name: string, prelude = "") {
  return (text: TemplateStringsArray, ...parts: readonly (string | number)[]): RedisScript<Answer> =>
    defineScript(name, prelude + String.raw({ raw: text }, ...parts));
}

/**
 * Runs a script on one Redis. Promises: one round trip while the server knows the script, two on first use or
 * after a restart. If the connection breaks before the reply, the script may run twice, which scripts allow.
 * Fails with `redis-unavailable`: whether the script ran is then unknown.
 */
export interface ScriptRunner {
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
}

/**
 * The JSON that a script answered. Lua has one kind of table, so an empty list comes as {} and is read as [].
 * Fails with `invariant-broken` if the reply is no text.
 */
export function parseReply<Answer>({ name }: RedisScript<Answer>, reply: unknown): Answer {
  if (typeof reply !== "string") {
    throw new RedriverError("invariant-broken", `expected ${name} to answer text, got ${typeof reply}`);
  }
  // Most replies have nothing empty, and the walk through them costs more than their parsing.
  return JSON.parse(reply, reply.includes("{}") ? toList : undefined) as Answer;
}

function toList(_: string, value: unknown): unknown {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0 ? [] : value;
}
