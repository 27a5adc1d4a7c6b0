import { Redis } from "ioredis";
import { readDoc } from "./markdown.ts";

/** A kind of key, as docs/redis.md names it. */
export interface DocumentedKey {
  readonly name: string;
  readonly pattern: RegExp;
  readonly expires: boolean;
}

/**
 * The tables of "Every key": the line before a table names the prefix of its keys, the last cell shows
 * whether they expire.
 */
export function documentedKeys(): readonly DocumentedKey[] {
  const section = readDoc("docs/redis.md").split("## Every key\n")[1]?.split("\n## ")[0] ?? "";
  const kinds: DocumentedKey[] = [];
  let prefix = "";
  for (const line of section.split("\n")) {
    const start = /^.+ ha(?:s|ve) `([^`]+)` and$/.exec(line)?.[1];
    if (start !== undefined) prefix = start;
    const cells = line.split("|").map((cell) => cell.trim());
    const life = /^(expires|stays)/.exec(cells.at(-2) ?? "")?.[1];
    if (life === undefined) continue;
    for (const [, name = ""] of (cells[1] ?? "").matchAll(/`([^`]+)`/g)) {
      kinds.push({ name: prefix + name, pattern: toPattern(prefix + name), expires: life === "expires" });
    }
  }
  return kinds;
}

/** `<source>` stands for anything. */
function toPattern(name: string): RegExp {
  const parts = name.split(/<\w+>/).map((part) => part.replace(/[{}.*+?^$()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`);
}

/** One key as a scan finds it. */
export interface FoundKey {
  readonly key: string;
  readonly expires: boolean;
  /** Members, fields, entries; 1 of a string. */
  readonly size: number;
  /** Everything in it. */
  readonly text: string;
}

/** Every key of a server, with what it holds. For servers that hold little. */
export async function scanKeys(url: string): Promise<readonly FoundKey[]> {
  const redis = new Redis(url);
  try {
    const found: FoundKey[] = [];
    for (const key of (await redis.keys("*")).toSorted()) {
      const [type, ttl] = await Promise.all([redis.type(key), redis.pttl(key)]);
      const held = await readAll(redis, key, type);
      // Gone since it was listed.
      if (held === null || ttl === -2) continue;
      found.push({ key, expires: ttl >= 0, size: held.size, text: JSON.stringify(held.value) });
    }
    return found;
  } finally {
    redis.disconnect();
  }
}

async function readAll(
  redis: Redis,
  key: string,
  type: string,
): Promise<{ readonly value: unknown; readonly size: number } | null> {
  switch (type) {
    case "string":
      return { value: await redis.get(key), size: 1 };
    case "hash":
      return { value: await redis.hgetall(key), size: await redis.hlen(key) };
    case "list":
      return { value: await redis.lrange(key, 0, -1), size: await redis.llen(key) };
    case "set":
      return { value: await redis.smembers(key), size: await redis.scard(key) };
    case "zset":
      return { value: await redis.zrange(key, "0", "-1"), size: await redis.zcard(key) };
    case "stream":
      return { value: await redis.xrange(key, "-", "+"), size: await redis.xlen(key) };
    default:
      return null;
  }
}
