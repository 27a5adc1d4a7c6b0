import { createHash } from "node:crypto";

/**
 * A Lua text with the name it is known by in errors. The text starts with its contract: KEYS, ARGV, returns,
 * effects.
 */
export interface RedisScript<Answer = unknown> {
  /** Never there: the type of the JSON that it answers. */
  readonly answer?: Answer;
  readonly name: string;
  readonly lua: string;
  /** SHA-1 of the text, in hex, as EVALSHA wants it. */
  readonly sha: string;
}

export function defineScript<Answer>(name: string, lua: string): RedisScript<Answer> {
  return { name, lua, sha: createHash("sha1").update(lua).digest("hex") };
}

/**
 * Runs a script on one Redis. Promises: one round trip while the server knows the script, two on first use or
 * after a restart. If the connection breaks before the reply, the script may run twice; scripts allow for that.
 * Fails with `redis-unavailable`: whether the script ran is then unknown.
 */
export interface ScriptRunner {
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
}

type Send = (command: string, ...args: readonly (string | number)[]) => Promise<unknown>;

export function createRunScript(send: Send): ScriptRunner["run"] {
  return async (script, keys, args) => {
    try {
      return await send("EVALSHA", script.sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isNoScript(error)) throw error;
      return await send("EVAL", script.lua, keys.length, ...keys, ...args);
    }
  };
}

function isNoScript(error: unknown): boolean {
  const seen = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return seen instanceof Error && seen.message.startsWith("NOSCRIPT");
}
