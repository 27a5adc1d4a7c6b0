import { expect, test } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { auditOf } from "../../../support/audit-of.ts";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

test("what a rule parks until a date is decided by the next rule after it", async () => {
  const until = new Date(Date.now() + 60_000).toISOString();
  const rig = await createRig({
    redisUrl: redis.url(),
    drain: `
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: incident, when: { responseStatus: 503 }, then: park, ignoreAfter: "${until}" }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`,
  });
  rig.seed(3);
  await rig.fullPass();
  expect(rig.emulator.dlq.size).toBe(3);
  expect(rig.recordsOf("record:decided").every(({ decision }) => decision.then === "park")).toBe(true);
  rig.advance(61_000);
  expect(await rig.fullPass()).toMatchObject({ outcome: "complete" });
  await expectDrainedOnce(rig, 3);
});

test("a destination that the settings forbid is parked, whoever releases it, and published once they allow it", async () => {
  const rig = await createRig({ redisUrl: redis.url(), settings: { "publish.allowPrivate": "no" } });
  const ids = rig.seed(3) as DlqId[];
  const { ledger } = rig.drain.source;
  const because = "park destination-not-allowed";
  for (let pass = 0; pass < 3; pass += 1) {
    if (pass === 2) await ledger.release(ids.slice(0, 1), "by-person");
    await rig.fullPass();
    const { entries } = await ledger.parked(null, 10);
    expect(entries.map(({ dlqId }) => dlqId).toSorted()).toEqual(ids.toSorted());
  }
  expect(rig.emulator.dlq.size).toBe(3);
  const said = rig.recordsOf("record:decided").map(({ decision }) => `${decision.then} ${decision.reason}`);
  expect(new Set(said)).toEqual(new Set([because]));
  // Asked again by every full pass, written down once, and once more after the release.
  const audit = await auditOf(rig.core);
  expect(audit.flatMap(({ act, records }) => records.map(({ reason }) => `${act} ${reason}`))).toEqual(
    Array(4).fill(because),
  );

  await (await createRig({ redisUrl: redis.url(), twinOf: rig })).fullPass();
  await expectDrainedOnce(rig, 3);
});
