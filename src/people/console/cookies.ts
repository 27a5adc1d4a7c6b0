/** What the console keeps in a browser. Only requests of its own pages bring it, and no script reads it. */
import { isName } from "../operations/define.ts";
import { seal, unseal } from "./access/signed.ts";
import type { Asked } from "./asked.ts";

export const sessionCookie = "redriver_session";
/** What the last act did, for the next page. */
export const saidCookie = "redriver_said";
/** The name that a person gave with an act, so that they need not type it again. */
const nameCookie = "redriver_name";
const nameMaxAgeSeconds = 30 * 86_400;

export function cookieOf(context: Asked, name: string): string | undefined {
  const pairs = (context.req.header("cookie") ?? "").split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
}

/**
 * Only for paths below the base: another console may be at the same host. Values are of characters that need no
 * quotes. Secure if the browser says that it came by https.
 */
export function setCookie(context: Asked, name: string, value: string, maxAgeSeconds = 43_200): void {
  const isSecure = context.req.header("origin")?.startsWith("https:") === true;
  context.header(
    "set-cookie",
    `${name}=${value}; Path=${context.get("base") || "/"}; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${isSecure ? "; Secure" : ""}`,
    { append: true },
  );
}

/** One that comes from elsewhere may be no name of a person. */
export function rememberName(context: Asked, name: string): void {
  if (!isName(name)) return;
  setCookie(context, nameCookie, seal(context.get("key"), "name", name), nameMaxAgeSeconds);
}

/** Null: none, or a cookie that the console did not write. */
export function rememberedName(context: Asked): string | null {
  const sealed = cookieOf(context, nameCookie);
  const name = sealed === undefined ? null : unseal(context.get("key"), "name", sealed);
  return name !== null && isName(name) ? name : null;
}
