import { createHmac } from "node:crypto";

export const signatureHeader = "redriver-signature";

/** `t=<Unix s>,v1=<hex HMAC-SHA256 of "t.body">`. `now`: Unix ms. */
export function toSignature(key: string, body: string, now: number): string {
  const seconds = Math.floor(now / 1_000);
  return `t=${seconds},v1=${createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex")}`;
}
