import { describe, expect, it } from "vitest";
import type { SourceId } from "../../../../src/job/contracts/ids.ts";
import { createFolder } from "../../../support/command.ts";
import { createRig, type Rig, type RigOptions } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const rigOf = (options: Partial<RigOptions> = {}) => createRig({ redisUrl: redis.url(), ...options });

it("an account that is drained under another id halts, whose ledger knows nothing of what was published", async () => {
  const before = await rigOf();
  before.seed(3);
  expect(await before.pass()).toMatchObject({ tally: { republished: 3 } });

  const renamed = await rigOf({ twinOf: before, source: "{ id: eu }" });
  before.seed(2);
  await expect(renamed.pass()).rejects.toMatchObject({
    code: "source-rebound",
    message: expect.stringContaining("give sources.default that id (id: default)") as string,
  });
  expect(renamed.drain.source.health.current()).toMatchObject({ state: "halted", code: "source-rebound" });
  expect(before.emulator.dlq.size).toBe(2);

  expect(await before.pass()).toMatchObject({ outcome: "complete" });
});

it("an id that is given another account's address halts", async () => {
  const before = await rigOf();
  await before.pass();
  const other = await rigOf();
  const moved = await rigOf({ twinOf: { ...before, emulator: other.emulator } });
  await expect(moved.pass()).rejects.toMatchObject({
    code: "source-rebound",
    message: expect.stringContaining("was used with another address") as string,
  });
});

/** What was published under the old name, and whose delete failed: it is listed still. */
async function createBefore(): Promise<Rig & { readonly dlqIds: readonly string[] }> {
  const before = await rigOf();
  const dlqIds = before.seed(3);
  const fault = before.emulator.faults.add({ kind: "status", status: 500, operation: "delete" });
  await before.pass();
  expect(before.emulator.dlq.size).toBe(3);
  before.emulator.faults.remove(fault);
  before.emulator.setToken("rotated");
  return { ...before, dlqIds };
}

const renamedFrom = (before: Rig, source = "{}", sourceName = "eu"): Promise<Rig> =>
  rigOf({ twinOf: before, source, sourceName });

const published = async (rig: Rig): Promise<number> => {
  await rig.emulator.idle();
  return [...rig.receiver.counts().values()].reduce((sum, count) => sum + count, 0);
};

const refused = (id: string): object => ({
  code: "source-rebound",
  message: expect.stringContaining(
    `give sources.eu its id (id: default); if it is another account, say so (id: ${id})`,
  ) as string,
});

describe("a source that is renamed while its token is rotated", () => {
  it("halts, in every replica and at every try, and publishes nothing twice", async () => {
    const before = await createBefore();
    const replicas = await Promise.all([renamedFrom(before), renamedFrom(before)]);
    for (let tries = 0; tries < 2; tries += 1) {
      const outcomes = await Promise.allSettled(replicas.map((replica) => replica.pass()));
      for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: refused("eu") });
    }
    expect(replicas[0]?.drain.source.health.current()).toMatchObject({
      state: "halted",
      code: "source-rebound",
    });
    expect(await published(before)).toBe(3);
  });

  it("goes on with its ledger when it is given its old id", async () => {
    const before = await createBefore();
    await expect((await renamedFrom(before)).pass()).rejects.toMatchObject(refused("eu"));
    const settled = await renamedFrom(before, "{ id: default }");
    expect(await settled.pass()).toMatchObject({ outcome: "complete" });
    expect(settled.eventsOf("source:token-read")).toEqual([
      { type: "source:token-read", source: "default", changed: true },
    ]);
    expect(before.emulator.dlq.size).toBe(0);
    expect(await published(before)).toBe(3);
  });

  it("is taken for another account when its own id is written, and stays it when the word is taken back", async () => {
    const before = await createBefore();
    const other = await renamedFrom(before, "{ id: eu }");
    before.emulator.dlq.remove(before.dlqIds);
    before.seed(1);
    expect(await other.pass()).toMatchObject({ tally: { republished: 1 } });
    before.seed(1);
    expect(await (await renamedFrom(before)).pass()).toMatchObject({ tally: { republished: 1 } });
  });
});

it("two accounts at one address are two sources of one document, whatever their ledgers have", async () => {
  const { path } = createFolder({ token: "another-token" });
  const rig = await rigOf({
    document: `  second: { token: { file: ${path}/token } }\n`,
    drain: `
    source: default
    minAge: 1s
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`,
  });
  rig.seed(2);
  expect(await rig.pass()).toMatchObject({ tally: { republished: 2 } });
  await rig.core.sources.get("second" as SourceId)?.runtime.bind();
});
