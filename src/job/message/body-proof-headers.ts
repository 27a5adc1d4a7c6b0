import type { ForwardHeaders } from "./headers.ts";

/**
 * RFC 9530, RFC 9421, RFC 1864, Standard Webhooks, Svix, and the vendors' X-Hub-Signature-256, Stripe-Signature
 * and the like. One taken by mistake costs a park that a rule can answer; one missed a rejected message.
 */
const provesBody =
  /signature|digest|hmac|checksum|md5|sha-?(?:1|224|256|384|512)|(?:^|[-_])(?:sig|jws|crc32c?)(?:[-_]|$)|^svix-|(?:body|payload|content|goog)[-_]?hash/;
/** These ask for a proof of the answer and prove nothing about the body. */
const asksForProof = /^(?:want-(?:content-|repr-)?digest|accept-signature)$/;
/** Schemes that sign the request: AWS, HMAC, HTTP signatures, shared keys, Digest with auth-int, OAuth 1. */
const signedAuthorization = /^\s*(?:aws|hmac|signature|sharedkey)|signature\s*=|auth-int|oauth_body_hash/i;

export function provesItsBody(name: string, value: string): boolean {
  const lower = name.toLowerCase();
  if (lower === "authorization") return signedAuthorization.test(value);
  return provesBody.test(lower) && !asksForProof.test(lower);
}

/** True if one of the record's forwarded headers proves the body and the rule neither sets nor removes it. */
export function hasUnansweredProof(
  forward: ForwardHeaders,
  changes: Readonly<Record<string, string | null>>,
): boolean {
  const answered = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  for (const [lower, { value }] of forward) {
    if (!answered.has(lower) && provesItsBody(lower, value)) return true;
  }
  return false;
}
