import { codeBlocks, readDoc } from "./markdown.ts";

/** The lines of docs/redis.md as ACL SETUSER takes them: user, then rules. */
export function documentedUsers(password: string): {
  readonly server: readonly string[];
  readonly defaultUser: readonly string[];
  readonly sentinel: readonly string[];
} {
  const lines = codeBlocks(readDoc("docs/redis.md"))
    .map(({ text }) => text.trim())
    .filter((text) => text.startsWith("user "))
    .map((text) => text.replace("PASSWORD", password).split(/\s+/).slice(1));
  const [server, sentinel, ...more] = lines.filter(([name]) => name === "redriver");
  const [defaultUser] = lines.filter(([name]) => name === "default");
  if (server === undefined || defaultUser === undefined || sentinel === undefined || more.length > 0)
    throw new Error("docs/redis.md has two ACL lines for redriver, and one for default");
  return { server, defaultUser, sentinel };
}
