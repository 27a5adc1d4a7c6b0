/** What the console keeps in a browser. Only requests of its own pages bring it, and no script reads it. */
import type { Asked } from "./asked.ts";

export const sessionCookie = "redriver_session";
/** What the last act did, for the next page. */
export const saidCookie = "redriver_said";

export function cookieOf(context: Asked, name: string): string | undefined {
  const pairs = (context.req.header("cookie") ?? "").split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
}

/** Values are of characters that need no quotes. Secure if the browser says that it came by https. */
export function setCookie(context: Asked, name: string, value: string, maxAgeSeconds = 43_200): void {
  const isSecure = context.req.header("origin")?.startsWith("https:") === true;
  context.header(
    "set-cookie",
    `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${isSecure ? "; Secure" : ""}`,
    { append: true },
  );
}
