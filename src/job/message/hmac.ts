import { createHash, createHmac, hash } from "node:crypto";
import { oncePerText } from "./once-per-text.ts";

/**
 * HMAC-SHA256 (RFC 2104) as two digests over pads that are made once per key. `createHmac` makes an object
 * with a finalizer for each text. Collecting these cost as much CPU as the digests, measured in Node 20.
 */
const blockBytes = 64;
const tagBytes = 32;
/** Longer texts get a buffer of their own. A signed lineage has some 400 characters. */
const keptBytes = 4_096;

const padsOf = oncePerText(32, Infinity, toPads);

/** In base64url. `text` is ASCII. */
export function hmacSha256(key: string, text: string): string {
  const pads = padsOf(key);
  const length = blockBytes + text.length;
  let { inner } = pads;
  if (length > inner.length) {
    inner = Buffer.alloc(length);
    pads.inner.copy(inner, 0, 0, blockBytes);
  }
  inner.write(text, blockBytes, "latin1");
  const digest = hash("sha256", inner.subarray(0, length), "binary");
  pads.outer.write(digest, blockBytes, "latin1");
  return hash("sha256", pads.outer, "base64url");
}

function toPads(key: string) {
  const bytes = Buffer.from(key);
  const block = Buffer.alloc(blockBytes);
  (bytes.length > blockBytes ? createHash("sha256").update(bytes).digest() : bytes).copy(block);
  const inner = Buffer.alloc(blockBytes + keptBytes);
  const outer = Buffer.alloc(blockBytes + tagBytes);
  for (const [at, byte] of block.entries()) {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  return { inner, outer };
}

/** Hides the value from a reader of Redis who does not know it; equal in every replica. */
export function toKeyedHash(what: "url" | "token", value: string): string {
  return createHmac("sha256", `redriver source ${what} v1`).update(value).digest("base64url").slice(0, 22);
}
