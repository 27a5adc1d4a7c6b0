import { expect, it } from "vitest";
import { createFolder } from "../../../support/command.ts";
import { behindTheHorizon, createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const rules = `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
const tried = `${rules}    lane: { canary: 5, watch: 2s, haltAt: 100%, probeEvery: 10s }\n`;

/** A rig whose canaries are called back at its receiver, which stands for redriver here. */
async function createCalledBack(): Promise<Rig> {
  const plain = await createRig({ redisUrl: redis.url(), drain: rules });
  const { path } = createFolder({ "signing-key": plain.emulator.signingKeys.current });
  const callbacks = `{ url: "${plain.receiver.url}/ours", keys: [{ file: ${path}/signing-key }] }`;
  return createRig({
    redisUrl: redis.url(),
    drain: tried,
    source: `{ callbacks: ${callbacks} }`,
    twinOf: plain,
  });
}

/** What the service lists of the only record, without what is another each time. */
function listedBy(rig: Rig): Record<string, unknown> {
  const [dead] = rig.emulator.journal.entries("dead-lettered").slice(-1);
  const record: Record<string, unknown> = { ...rig.emulator.dlq.find(dead!.dlqId) };
  for (const name of ["dlqId", "messageId", "createdAt", "notBefore", "responseHeader"]) delete record[name];
  const { "X-Redriver": lineage, ...header } = record["header"] as Record<string, unknown>;
  expect(lineage).toBeDefined();
  return { ...record, header };
}

it("a canary that was called back and died is redriven with its own callback, also where callbacks are configured no more", async () => {
  const rig = await createCalledBack();
  const own = {
    callback: `${rig.receiver.url}/theirs?order=1`,
    callbackHeader: { "X-Order": ["1"], Authorization: ["Bearer theirs"] },
  };
  rig.receiver.answer = ({ path }) => (path === "/hook" ? 503 : 200);
  rig.seed(1, { ...own, header: { "X-Tenant": ["acmé"] }, maxRetries: 0 });
  await rig.pass();
  await behindTheHorizon(rig);
  const canary = listedBy(rig);
  expect(String(canary["callback"])).toMatch(/\/ours\/default\?redriver-callback=v1\./);
  const theirs = () => rig.receiver.deliveries.filter(({ path }) => path.startsWith("/theirs"));
  expect(theirs()).toEqual([]);

  const after = await createRig({ redisUrl: redis.url(), drain: rules, twinOf: rig });
  await after.pass();
  await after.emulator.idle();
  expect(listedBy(rig)).toEqual({ ...canary, ...own });
  expect(theirs()).toMatchObject([
    { path: "/theirs?order=1", headers: { "x-order": "1", authorization: "Bearer theirs" } },
  ]);
}, 60_000);
