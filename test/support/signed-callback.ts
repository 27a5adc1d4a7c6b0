import { createHash, createHmac } from "node:crypto";

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Any claims, signed. Written by hand: the library under test must not sign what it reads. */
export function signClaims(
  claims: object,
  key: string,
  header: object = { alg: "HS256", typ: "JWT" },
): string {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
}

/** What the service sends with a callback, valid now. */
export function signCallback(url: string, body: string, key: string): string {
  const seconds = Math.floor(Date.now() / 1_000);
  const hash = createHash("sha256").update(body).digest("base64url");
  const claims = { iss: "x", sub: url, nbf: seconds, exp: seconds + 300, iat: seconds, jti: "j", body: hash };
  return signClaims(claims, key);
}
