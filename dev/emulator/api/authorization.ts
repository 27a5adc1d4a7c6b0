import { createHash, timingSafeEqual } from "node:crypto";
import type { EmulatorCore } from "../emulator-parts.ts";
import type { Exchange } from "../http/read-request.ts";
import type { Operation } from "../journal.ts";
import type { Credentials } from "../options.ts";

/** The statistics API takes user name and password, all else the bearer token. */
export function isAuthorized(core: EmulatorCore, operation: Operation, exchange: Exchange): boolean {
  // One that was sent several times is joined with commas (RFC 9110 section 5.3).
  const authorization = exchange.headers["authorization"]?.join(", ");
  return operation === "statistics"
    ? isBasic(authorization, core.settings.statsCredentials)
    : isBearer(authorization, core.token);
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Constant time in the contents; hashing first makes the lengths equal. */
const equal = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const isBearer = (authorization: string | undefined, token: string): boolean =>
  token !== "" && equal(schemeValue(authorization, "bearer"), token);

/** Only the one encoding counts, with its padding or without. A decoder would pass over what is no base64. */
function isBasic(authorization: string | undefined, { username, password }: Credentials): boolean {
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
