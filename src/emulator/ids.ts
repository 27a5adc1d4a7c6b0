import { randomBytes } from "node:crypto";

/** `msg_` and 24 characters that carry no order and no meaning. */
export function newMessageId(): string {
  return `msg_${randomBytes(18).toString("base64url").replaceAll("-", "A").replaceAll("_", "B")}`;
}
