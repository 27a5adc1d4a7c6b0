import { createHash } from "node:crypto";
import { oncePerText } from "./once-per-text.ts";

/** 40 bits: among 500 kinds of failure of a source, two share an id once in ten million sources. */
export function toShortId(group: string, name: string): string {
  return idOf(`${group}\0${name}`);
}

const idOf = oncePerText(2_000, 1_024, (text) =>
  createHash("sha256").update(text).digest("hex").slice(0, 10),
);

/** 60 bits; Redis and lineage carry neither a drain's name nor an address. The same in every replica. */
export function toLaneId(drain: string, origin: string): string {
  return toRootHash(`${drain}\0${origin}`);
}

export function toRootHash(rootId: string): string {
  return createHash("sha256").update(rootId).digest("base64url").slice(0, 10);
}
