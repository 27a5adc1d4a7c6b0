import { createHash, timingSafeEqual } from "node:crypto";
import type { Credentials } from "../options.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Constant time in the contents; hashing first makes the lengths equal. */
const equal = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

export const isBearer = (authorization: string | undefined, token: string): boolean =>
  token !== "" && equal(schemeValue(authorization, "bearer"), token);

/** Only the one encoding counts, with its padding or without. A decoder would pass over what is no base64. */
export function isBasic(authorization: string | undefined, { username, password }: Credentials): boolean {
  const padded = Buffer.from(`${username}:${password}`).toString("base64");
  const given = schemeValue(authorization, "basic");
  const isPadded = equal(given, padded);
  const isBare = equal(given, padded.replace(/=+$/, ""));
  return isPadded || isBare;
}

function schemeValue(authorization: string | undefined, scheme: string): string {
  const match = /^(\S+) +(\S+) *$/.exec(authorization ?? "");
  return match?.[1]?.toLowerCase() === scheme ? (match[2] ?? "") : "";
}
