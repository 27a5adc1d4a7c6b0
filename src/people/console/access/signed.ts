/** Texts that a browser keeps for the console, signed so that nobody else can write them. */
import { createHmac } from "node:crypto";
import { isSame } from "./token-file.ts";

/** `kind` keeps one kind of text from being taken for another. */
export function sign(key: string, kind: string, text: string): string {
  return createHmac("sha256", key).update(`${kind}\n${text}`).digest("base64url");
}

/** `text.signature`, of characters that a cookie may have. */
export function seal(key: string, kind: string, text: string): string {
  const shown = Buffer.from(text).toString("base64url");
  return `${shown}.${sign(key, kind, text)}`;
}

/** Null: not signed with this key for this kind. */
export function unseal(key: string, kind: string, sealed: string): string | null {
  const [shown = "", signature = ""] = sealed.split(".");
  const text = Buffer.from(shown, "base64url").toString();
  return isSame(sign(key, kind, text), signature) ? text : null;
}
