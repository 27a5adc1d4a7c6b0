import { createHash } from "node:crypto";

/**
 * Short hash of a lane: 60 bits, so that Redis and lineage carry neither a drain's name nor an address. The
 * same in every replica.
 */
export function toLaneId(drain: string, origin: string): string {
  return shortHash(`${drain}\0${origin}`);
}

/** Short hash of a root id, as the lane book keeps the roots of the last canaries. */
export function toRootHash(rootId: string): string {
  return shortHash(rootId);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 10);
}
