import { createHash, createHmac } from "node:crypto";
import { newUuid } from "../ids.ts";

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwtHeader = encode({ alg: "HS256", typ: "JWT" });
const issuer = "Upstash";
const validSeconds = 300;

/** The JWT by which a receiver knows that this body was sent to this URL by the service, just now. */
export function sign(key: string, url: string, body: Buffer, nowMs: number): string {
  const now = Math.floor(nowMs / 1_000);
  const claims = encode({
    iss: issuer,
    sub: url,
    exp: now + validSeconds,
    nbf: now,
    iat: now,
    jti: `jwt_${newUuid()}`,
    body: createHash("sha256").update(body).digest("base64url"),
  });
  const signed = `${jwtHeader}.${claims}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}
