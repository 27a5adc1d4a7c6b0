import { expect, test } from "vitest";
import type { Emulator } from "../../../../dev/emulator/index.ts";
import { createEnv } from "../../../support/daemon.ts";
import { readArchive } from "../../../support/archives.ts";
import { runHere } from "../../../support/cli.ts";
import { createFolder } from "../../../support/command.ts";
import { startHostileService } from "../../../support/hostile-service.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const hourMs = 3_600_000;

/**
 * From what any real record has, past what the writer of JSON takes at one place and not at another, to what
 * none takes.
 */
const depths = [
  1,
  500,
  1_000,
  3_000,
  ...Array.from({ length: 30 }, (_, n) => 4_000 + 10 * n),
  5_000,
  8_000,
  12_000,
  20_000,
];

const document = (dir: string): string => `
version: 1
archive: { dir: ${dir}, keep: 30d, volume: ephemeral }
sources: { default: { retention: 3d } }
drains:
  main:
    mode: live
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    lane: none
    limits: { publish: none, perHost: none }
    rules:
      - { name: gone, when: { responseStatus: 410 }, then: drop }
      - { name: deep, when: { body: { /a/0/0: 1 } }, then: hold }
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: any, then: republish }
`;

test("records of any depth are listed, decided, kept where they can be, shown, and keep no other from it", async () => {
  const { url, account } = (await startHostileService()).open();
  const dir = `${createFolder().path}/archive`;
  const { env } = createEnv({
    emulator: { url, token: "a-token-of-a-test" } as Emulator,
    redisUrl: redis.url(),
    document: document(dir),
  });
  const now = Date.now();
  const ids: Record<"dropped" | "near" | "published", string[]> = { dropped: [], near: [], published: [] };
  const add = (kind: keyof typeof ids, enteredAt: number, responseStatus: number, deep: string): void => {
    const dlqId = `${enteredAt}-${account.records.size}`;
    const fields = { dlqId, messageId: `msg_${dlqId}`, url: "https://a.example/", createdAt: enteredAt - 1 };
    const body = JSON.stringify({ ...fields, responseStatus, body: `{"a":${deep}}` });
    account.records.set(dlqId, `${body.slice(0, -1)},"unheardOf":${deep}}`);
    ids[kind].push(dlqId);
  };
  for (const depth of depths) {
    const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    add("near", now - 71 * hourMs, 422, deep);
    add("dropped", now - hourMs, 410, deep);
    add("published", now - hourMs, 503, deep);
  }

  const first = await runHere(["drain", "--all", "--yes", "--json"], env);
  // What is not kept is not dropped, so there is work left.
  expect(first).toMatchObject({ exitCode: 3 });
  expect(JSON.parse(first.out)).toMatchObject([{ outcome: "complete" }]);
  // The bound is 512 levels, of which the record itself is one.
  const writable = depths.filter((depth) => depth <= 511).length;
  const { entries, damages } = await readArchive(dir);
  expect(damages).toEqual([]);
  expect(entries.filter(({ why }) => why === "near-expiry").map(({ dlqId }) => dlqId)).toEqual(
    ids.near.slice(0, writable),
  );
  expect(entries.filter(({ why }) => why === "dropped").map(({ dlqId }) => dlqId)).toEqual(
    ids.dropped.slice(0, writable),
  );
  expect(account.deleted.toSorted()).toEqual(
    [...ids.published, ...ids.dropped.slice(0, writable)].toSorted(),
  );
  expect(first.err).toContain("nested at most 512 levels deep");

  const near = ids.near.at(-1) ?? "";
  for (const argv of [
    ["plan", "--all", "--out", `${createFolder().path}/plan.ndjson`],
    ["plan", "--all", "--records", "--json"],
    ["parked", "list", "--json"],
    ["parked", "show", ...ids.near, "--json", "--show-content"],
    ["parked", "show", ...ids.near],
    ["rules", "explain", ids.near[5] ?? "", "--json"],
    ["rules", "explain", near, "--show-content"],
    ["archive", "show", "--show-content"],
    ["history", near],
  ]) {
    const { exitCode, err } = await runHere(argv, env);
    expect({ argv, exitCode, err }).toMatchObject({ exitCode: 0 });
  }
});
