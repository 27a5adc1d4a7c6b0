import { createHash } from "node:crypto";
import * as errors from "jose/errors";
import { jwtVerify } from "jose/jwt/verify";

/** Allowed difference between the clock of the service's answers and the clock that signs. */
const leewaySeconds = 60;

export type SignatureVerdict =
  | { readonly kind: "verified"; readonly isFor: (body: Buffer) => boolean }
  /** `why` shows nothing that the caller sent. */
  | { readonly kind: "unverified"; readonly why: string };

/**
 * Checks that the service signed a call: a JWT (HS256) by one of the keys, for this URL (`sub`), valid now (`nbf`,
 * `exp`). Its `body` is the SHA-256 of the body as base64url, padded or not. So a caller is known before its body
 * is read.
 */
export async function verifySignature(
  token: string | undefined,
  { url, keys, now }: { readonly url: string; readonly keys: readonly string[]; readonly now: number },
): Promise<SignatureVerdict> {
  if (token === undefined) return { kind: "unverified", why: "without a signature" };
  let why = "by none of the signing keys";
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify<{ body: unknown }>(token, new TextEncoder().encode(key), {
        algorithms: ["HS256"],
        subject: url,
        requiredClaims: ["exp", "nbf", "body"],
        clockTolerance: leewaySeconds,
        currentDate: new Date(now),
      });
      const hash = typeof payload.body === "string" ? payload.body.replace(/=+$/, "") : "";
      const isFor = (body: Buffer) => createHash("sha256").update(body).digest("base64url") === hash;
      return { kind: "verified", isFor };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      why = toWhy(error) ?? why;
    }
  }
  return { kind: "unverified", why };
}

/** Null if another key may verify it. */
function toWhy(error: errors.JOSEError): string | null {
  if (error instanceof errors.JWSSignatureVerificationFailed) return null;
  if (error instanceof errors.JWTExpired) return "no longer valid";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "sub" && error.reason === "check_failed") return "for another address";
    if (error.claim === "nbf" && error.reason === "check_failed") return "not valid yet";
    return "without what a signature must say";
  }
  return "with a signature of another form";
}
