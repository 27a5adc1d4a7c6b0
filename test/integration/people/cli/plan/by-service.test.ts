/** What a plan says of a rule with `via: service`, and what an apply of it does. */
import { expect, it } from "vitest";
import { createPlanStand } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const document = `
version: 1
sources: { default: { serviceRetry: true } }
defaults:
  lane: none
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
drains:
  orders:
    mode: plan
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: bytes, when: { bodyBase64: "*" }, then: republish, via: service }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
const bytes = Buffer.from([0xff, 0x00, 0xfe]);

async function planned() {
  const stand = await createPlanStand(redis.url(), { document });
  stand.seed(4);
  const ids = stand.seed(3, { body: "", bodyBase64: bytes.toString("base64") });
  return { stand, ids };
}

it("a plan counts what goes by the service's own retry, and its calls", async () => {
  const { stand, ids } = await planned();
  const report = JSON.parse((await stand.run(["plan", "--all", "--json"])).out) as { drains: object[] };
  expect(report.drains).toMatchObject([
    {
      decisions: { republish: 7, park: 0 },
      byService: 3,
      rules: [
        { rule: "bytes", dueNow: 3, byService: 3, losses: [], samples: [{ changes: [] }, {}, {}] },
        { rule: "outage", dueNow: 4, byService: 0 },
      ],
    },
  ]);
  const text = (await stand.run(["plan", "--all"])).out;
  expect(text).toMatch(/\n {2}via +3 by the service's own retry: 3 calls, and no batch\n/);
  const { out } = await stand.run(["rules", "explain", ids[0]!]);
  expect(out).toContain("what it was, by the service's own retry");
});

it("an apply sends it so, and under other rules not at all", async () => {
  const { stand } = await planned();
  await stand.plan();
  stand.document(document.replace(", via: service", ""));
  await stand.apply();
  expect([stand.emulator.dlq.size, stand.emulator.journal.counts().retried]).toEqual([7, 0]);
  stand.document(document);
  expect((await stand.apply()).exitCode).toBe(0);
  await stand.emulator.idle();
  expect([stand.emulator.dlq.size, stand.emulator.journal.counts().retried]).toEqual([0, 3]);
  const sent = stand.receiver.deliveries.filter((one) => one.bytes.equals(bytes));
  expect(sent).toHaveLength(3);
});

it("an explanation knows how often the service's own retry has sent a message", async () => {
  const { stand } = await planned();
  stand.receiver.answer = () => 503;
  await stand.plan();
  expect((await stand.apply()).exitCode).toBe(0);
  await stand.emulator.idle();
  const { journal } = stand.emulator;
  const retried = new Set(journal.entries("retried").map(({ newMessageId }) => newMessageId));
  const died = journal.entries("dead-lettered").find(({ messageId }) => retried.has(messageId));
  const { out } = await stand.run(["rules", "explain", died!.dlqId, "--json"]);
  expect(JSON.parse(out)).toMatchObject({ record: { attempt: 1 }, decision: { rule: "bytes" } });
});
