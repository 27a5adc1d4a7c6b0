import { createHash } from "node:crypto";

/** 60 bits; Redis and lineage carry neither a drain's name nor an address. The same in every replica. */
export function toLaneId(drain: string, origin: string): string {
  return shortHash(`${drain}\0${origin}`);
}

export function toRootHash(rootId: string): string {
  return shortHash(rootId);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 10);
}
