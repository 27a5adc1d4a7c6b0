import { afterAll, describe, expect, it } from "vitest";
import { createRedis, type RedisConnection } from "../../../../src/job/redis/connect.ts";
import { findMissingRights } from "../../../../src/job/redis/find-missing-rights.ts";
import { toNeededRights } from "../../../../src/job/redis/needed-rights.ts";
import { documentedUsers } from "../../../support/redis-acl.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis("own");
const connections: RedisConnection[] = [];
afterAll(() => Promise.all(connections.map((connection) => connection.close())));

const [name = "", ...line] = documentedUsers("hush").server;
const commands = line.filter((rule) => rule.startsWith("+")).map((rule) => rule.slice(1));
/** Only a cluster, or another database than 0, needs these. */
const elsewhere = new Set(["select", "cluster|info", "cluster|slots", "asking", "readonly"]);

/** No script may call these, so before Redis 7 only a refusal shows that they are missing. */
const unseen = new Set(["client|setname", "evalsha"]);

/** What is missing for a user with this line; sources: `orders`. */
async function messagesOf(rules: readonly string[], how: "ask" | "try"): Promise<readonly string[]> {
  await redis.fresh().command("ACL", "SETUSER", name, "reset", ...rules);
  const { host } = new URL(redis.url());
  const target = { url: `redis://${name}:hush@${host}` };
  const connection = createRedis(target, { role: "test", keyPrefix: "redriver" });
  connections.push(connection);
  await connection.ready(5_000);
  return (await findMissingRights(connection, ["orders"], how)).map(({ message }) => message);
}

const without = (rule: string): readonly string[] => line.filter((one) => one !== rule);

describe.each(["ask", "try"] as const)("a user of Redis, by how its rights are found: %s", (how) => {
  it("has all of them with the line of docs/redis.md, and finding out leaves no key", async () => {
    const own = redis.fresh();
    const before = await own.command("DBSIZE");
    expect(await messagesOf(line, how)).toEqual([]);
    expect(await own.command("DBSIZE")).toBe(before);
  });

  it.each(commands.filter((command) => !elsewhere.has(command) && !(how === "try" && unseen.has(command))))(
    "lacks %s, and is told the line that gives it",
    async (command) => {
      const [message = "", ...more] = await messagesOf(without(`+${command}`), how);
      expect(more).toEqual([]);
      expect(message).toContain(`ACL SETUSER redriver +${command}`);
    },
  );

  it.each([
    ["~redriver:*", without("~redriver:*")],
    ["~{redriver}:*", without("~{redriver}:*")],
    ["~redriver:*", [...without("~redriver:*"), "%R~redriver:*"]],
    [
      "~redriver:*",
      [...without("~redriver:*"), "~redriver:v1:*", "resetkeys", "~{redriver}:*", "~redriver:v1:{other}:*"],
    ],
    ["~redriver:* ~{redriver}:*", line.filter((rule) => !rule.startsWith("~"))],
  ])("lacks the keys %s: %j", async (pattern, rules) => {
    const [message = ""] = await messagesOf(rules, how);
    expect(message).toContain(`ACL SETUSER redriver ${pattern},`);
  });

  it("lacks two commands and keys, and is told all of them at once", async () => {
    const rules = without("+xadd").filter((rule) => rule !== "~redriver:*" && rule !== "+bzpopmin");
    const [message = ""] = await messagesOf(rules, how);
    expect(message).toContain("ACL SETUSER redriver +bzpopmin +xadd ~redriver:*,");
  });
});

it("the line has what is asked for, and nothing else", () => {
  const needed = toNeededRights("redriver", [], { topology: "cluster", hasDatabase: true });
  const asked = needed.flatMap(({ calls }) =>
    calls.map(([command, first = ""]) =>
      command === "client" || command === "cluster" ? `${command}|${first}` : command,
    ),
  );
  expect(new Set(asked)).toEqual(new Set(commands));
});
