import { codeBlocks, readDoc } from "./markdown.ts";

/** The lines of docs/redis.md as ACL SETUSER takes them: user, then rules. */
export function documentedUsers(password: string): {
  readonly server: readonly string[];
  readonly sentinel: readonly string[];
} {
  const [server, sentinel] = codeBlocks(readDoc("docs/redis.md"))
    .map(({ text }) => text.trim())
    .filter((text) => text.startsWith("user "))
    .map((text) => text.replace("PASSWORD", password).split(/\s+/).slice(1));
  if (server === undefined || sentinel === undefined) throw new Error("docs/redis.md has two ACL lines");
  return { server, sentinel };
}
