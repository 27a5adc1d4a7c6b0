import { createHash, timingSafeEqual } from "node:crypto";
import type { Credentials } from "../options.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Constant time in the contents; hashing first makes the lengths equal. */
const equal = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

export const isBearer = (authorization: string | undefined, token: string): boolean =>
  token !== "" && equal(schemeValue(authorization, "bearer"), token);

export const isBasic = (authorization: string | undefined, credentials: Credentials): boolean =>
  equal(
    Buffer.from(schemeValue(authorization, "basic"), "base64").toString("utf8"),
    `${credentials.username}:${credentials.password}`,
  );

function schemeValue(authorization: string | undefined, scheme: string): string {
  const match = /^(\S+) +(\S+) *$/.exec(authorization ?? "");
  return match?.[1]?.toLowerCase() === scheme ? (match[2] ?? "") : "";
}
