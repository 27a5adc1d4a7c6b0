import { expect, test } from "vitest";
import { openAuditReader } from "../../../../src/job/compose/open-readers.ts";
import { createRig, type Rig, type RigOptions } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const rigWith = (settings: Readonly<Record<string, unknown>>, more: Partial<RigOptions> = {}): Promise<Rig> =>
  createRig({ redisUrl: redis.url(), settings, ...more });

async function fullPass(rig: Rig): Promise<void> {
  await rig.drain.source.passes.forceFull(rig.drain.config.name);
  expect(await rig.pass()).toMatchObject({ outcome: "complete" });
}

const parkedFor = (rig: Rig) =>
  rig.recordsOf("record:decided").map(({ decision }) => `${decision.then} ${decision.reason}`);

test("a destination that the settings forbid is parked, and published once they allow it, without a release", async () => {
  const rig = await rigWith({ "publish.allowPrivate": "no" });
  const ids = rig.seed(3);
  await fullPass(rig);
  await fullPass(rig);
  expect(new Set(parkedFor(rig))).toEqual(new Set(["park destination-not-allowed"]));
  expect(rig.emulator.dlq.size).toBe(3);
  const { entries } = await rig.drain.source.ledger.parked(null, 10);
  expect(entries.map(({ dlqId }) => dlqId).toSorted()).toEqual(ids.toSorted());
  // Asked again by every full pass, written down once.
  const written: string[] = [];
  for await (const entry of openAuditReader(rig.core).read({ order: "oldest-first" })) {
    written.push(...entry.records.map(({ reason }) => `${entry.act} ${reason}`));
  }
  expect(written).toEqual(Array(3).fill("park destination-not-allowed"));

  const allowed = await rigWith({}, { twinOf: rig });
  await fullPass(allowed);
  await rig.emulator.idle();
  expect(rig.emulator.dlq.size).toBe(0);
  expect([...rig.receiver.counts().values()]).toEqual([1, 1, 1]);
});

test("a release does not outrank the settings", async () => {
  const rig = await rigWith({ "publish.allowHosts": "api.example.com" });
  const ids = rig.seed(1);
  await fullPass(rig);
  await rig.drain.source.ledger.release(ids as never, "by-person");
  await fullPass(rig);
  expect(parkedFor(rig)).toEqual(["park destination-not-allowed", "park destination-not-allowed"]);
  expect(rig.emulator.dlq.size).toBe(1);
  expect(rig.receiver.counts().size).toBe(0);
});

test("a callback that is not allowed keeps the message back, and a rule that moves it lets it go", async () => {
  const rig = await rigWith(
    { "publish.allowHosts": "127.0.0.1" },
    {
      drain: `
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: without-callback, when: { responseStatus: 502 }, then: republish, set: { failureCallback: null } }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`,
    },
  );
  rig.seed(1, { failureCallback: "https://attacker.example/steal" });
  rig.seed(1, { responseStatus: 502, failureCallback: "https://attacker.example/steal" });
  rig.seed(1, { url: "https://elsewhere.example/hook" });
  await fullPass(rig);
  await rig.emulator.idle();
  expect(parkedFor(rig).toSorted()).toEqual([
    "park destination-not-allowed",
    "park destination-not-allowed",
    "republish due",
  ]);
  expect(rig.emulator.dlq.size).toBe(2);
  expect(rig.receiver.counts().size).toBe(1);
});
