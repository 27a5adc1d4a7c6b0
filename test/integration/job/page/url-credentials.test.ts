/** Messages for an address with a user and password: parked, or sent, and never shown. */
import { expect, test } from "vitest";
import { commandDocument, createCommandStand } from "../../../support/command-stand.ts";
import { useRedis } from "../../../support/redis.ts";
import { scanKeys } from "../../../support/redis-keys.ts";

const redis = useRedis();
const secret = /s3cret|us3r/;

async function standWith(source: string) {
  const stand = await createCommandStand(
    redis.url(),
    commandDocument
      .replace("default: {}", `default: ${source}`)
      .replaceAll("lane: none", "lane: { watch: 2s }"),
  );
  const url = stand.receiver.url.replace("http://", "http://us3r:s3cret@");
  const [id = ""] = stand.seed(1, { url: `${url}/hook`, responseStatus: 503 });
  return { ...stand, id };
}

/** What commands show of it, together. */
async function shown({ run, id }: Awaited<ReturnType<typeof standWith>>): Promise<string> {
  const commands = [
    ["plan", "orders"],
    ["plan", "orders", "--json"],
    ["plan", "orders", "--records"],
    ["rules", "explain", id],
    ["rules", "explain", id, "--json"],
    ["status"],
    ["failures"],
    ["lanes"],
    ["parked", "list"],
    ["parked", "show", id],
    ["history", "--records", "--json"],
  ];
  let text = "";
  for (const command of commands) {
    const { out, err } = await run(command);
    text += `${out}${err}`;
  }
  return text;
}

test("is sent if its source says so, and shown without them: in commands, logs and Redis", async () => {
  const stand = await standWith("{ urlCredentials: send }");
  let text = await shown(stand);
  const drained = await stand.run(["drain", "orders", "--yes"]);
  text += `${drained.out}${drained.err}${await shown(stand)}`;
  expect(stand.emulator.journal.entries("accepted")).toHaveLength(1);
  expect(text).toMatch(/127\.0\.0\.1:\d+/);
  expect(text).not.toMatch(secret);
  for (const { key, text: value } of await scanKeys(redis.url()))
    expect(`${key} ${value}`).not.toMatch(secret);
});
