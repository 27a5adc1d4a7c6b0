import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createArchiveRig, kept, newDir } from "../../../support/archive-rig.ts";
import type { Rig, RigOptions } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const hourMs = 3_600_000;

const rig = (dir: string | null, drain: string, options: Partial<RigOptions> = {}): Promise<Rig> =>
  createArchiveRig(redis.url(), dir, drain, options);

test("what nears its expiry is copied once, whatever holds it, and stays", async () => {
  const dir = newDir();
  const holds = `    beforeExpiry: { within: 12h, then: archive }
    rules:
      - { name: never, when: { responseStatus: 422 }, then: park }
`;
  for (const mode of ["live", "plan"] as const) {
    const one = await rig(dir, holds, { mode });
    const parked = one.seed(2, { responseStatus: 422 }, 61 * hourMs);
    const held = one.seed(2, { responseStatus: 503 }, 71 * hourMs);
    one.seed(2, { responseStatus: 503 }, 30 * hourMs);
    const odd = one.seed(1, { url: 7 }, 70 * hourMs);
    await one.pass();
    expect(await one.fullPass()).toMatchObject({ tally: { listed: 7 } });
    expect(one.emulator.dlq.size).toBe(7);
    const copies = (await kept(dir)).filter(({ dlqId }) => [...parked, ...held, ...odd].includes(dlqId));
    expect(copies.map(({ dlqId }) => dlqId).toSorted()).toEqual([...parked, ...held, ...odd].toSorted());
    expect(copies.every(({ why }) => why === "near-expiry")).toBe(true);
    expect(one.eventsOf("archive:copied")).toMatchObject([{ count: 5, drain: "main" }]);
  }
});

test("an archive that fails costs the copy, not the pass", async () => {
  const file = join(newDir(), "taken");
  writeFileSync(file, "");
  const one = await rig(
    file,
    `    rules:\n      - { name: outage, when: { responseStatus: 503 }, then: republish }\n`,
  );
  one.seed(2, {}, 70 * hourMs);
  one.seed(1, { responseStatus: 500 }, 70 * hourMs);
  expect(await one.pass()).toMatchObject({ outcome: "complete", tally: { republished: 2, held: 1 } });
  expect(one.eventsOf("archive:failed")).toHaveLength(1);
});

test("what nears its expiry is copied where it is left, and not where it is published", async () => {
  const dir = newDir();
  const one = await rig(
    dir,
    `    limits: { perPass: 2 }\n    rules:\n      - { name: outage, when: { responseStatus: 503 }, then: republish }\n`,
  );
  const ids = one.seed(5, {}, 70 * hourMs);
  expect(await one.pass()).toMatchObject({ tally: { republished: 2, due: 3 } });
  const copied = (await kept(dir)).map(({ dlqId }) => dlqId);
  expect(copied.toSorted()).toEqual(ids.filter((id) => one.emulator.dlq.find(id) !== undefined).toSorted());
  expect(copied).toHaveLength(3);
});

test("what is nested deeper than 512 levels is not kept: neither copied nor dropped, and told", async () => {
  const dir = newDir();
  const one = await rig(dir, `    rules: [{ name: over, when: { responseStatus: 410 }, then: drop }]\n`);
  const now = Date.now();
  const seed = (responseStatus: number, ageMs: number, levels: number): string => {
    const dlqId = `${now - ageMs - levels}-0`;
    const record = {
      dlqId,
      messageId: `msg_${dlqId}`,
      url: "https://a.example/",
      createdAt: 1,
      responseStatus,
    };
    const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`;
    one.emulator.dlq.seedTexts([`${JSON.stringify(record).slice(0, -1)},"unheardOf":${deep}}`]);
    return dlqId;
  };
  // The record itself is a level. Some thousands are what a writer of JSON takes at one place and not at another.
  const [near, tooNear] = [511, 4_100].map((levels) => seed(404, 71 * hourMs, levels));
  const [dropped, tooDeep] = [511, 512].map((levels) => seed(410, hourMs, levels));
  expect(await one.pass()).toMatchObject({ outcome: "complete" });
  expect((await kept(dir)).map(({ dlqId }) => dlqId)).toEqual([near, dropped]);
  expect([near, tooNear, tooDeep, dropped].map((id) => one.emulator.dlq.find(id!) !== undefined)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(one.eventsOf("archive:failed")[0]?.message).toContain("nested at most 512 levels deep");
});
