import { RedriverError } from "../ports/errors.ts";
import type { RedisScript } from "../redis/script-runner.ts";

/** The JSON that a script answered. Fails with `invariant-broken` if the reply is no text. */
export function parseReply({ name }: Pick<RedisScript, "name">, reply: unknown): unknown {
  if (typeof reply === "string") return JSON.parse(reply);
  throw new RedriverError("invariant-broken", `expected ${name} to answer text, got ${typeof reply}`);
}

/** Lua has one kind of table, so an empty list comes as {}. */
export function toList<Item>(items: readonly Item[]): readonly Item[] {
  return Array.isArray(items) ? items : [];
}
