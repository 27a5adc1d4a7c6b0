import { statSync } from "node:fs";
import { expect, it } from "vitest";
import { createFolder } from "../../../support/command.ts";
import { startWithBacklog, watched } from "../../../support/large-backlog.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

/**
 * Each has more than 4.3 KB. A command takes some 125 MB, however many there are; if it kept them, these would
 * take 86 MB more.
 */
const records = 20_000;
const mostMegabytes = 170;

const document = `
version: 1
sources: { default: {} }
drains:
  orders:
    minAge: 2m
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - name: moved
        when: { host: old.example.com }
        then: republish
        set: { destination: { host: new.example.com } }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

it(`plans ${records} records and freezes them in under ${mostMegabytes} MB`, async () => {
  const folder = createFolder({ "drains.yaml": document });
  const env = await startWithBacklog(records, {
    drainsFile: `${folder.path}/drains.yaml`,
    redisUrl: redis.url(),
    name: "plan-20k",
    bodyLength: 4_000,
  });
  const file = `${folder.path}/plan.ndjson`;
  const plan = await watched(["plan", "--all", "--json", "--out", file], env);
  expect({ exitCode: plan.exitCode, err: plan.err.slice(-500) }).toMatchObject({ exitCode: 0 });
  const [orders] = (
    JSON.parse(plan.out) as { drains: { planned: number; rules: { rule: string; count: number }[] }[] }
  ).drains;
  expect(orders!.planned).toBe(records);
  expect(orders!.rules.map(({ rule, count }) => [rule, count])).toEqual([
    ["broken", records / 10],
    ["moved", (records / 10) * 3],
    ["outage", (records / 10) * 6],
  ]);
  expect(statSync(file).size).toBeGreaterThan(records * 100);

  // Every record is held against the plan before it is refused, so apply reads as much as plan did.
  folder.write("drains.yaml", document.replace("new.example.com", "newer.example.com"));
  const apply = await watched(["apply", file, "--reason", "x", "--by", "ada"], env);
  expect(apply.exitCode).toBe(1);
  expect(apply.err).toContain(`${(records / 10) * 3} decided otherwise now`);

  process.stderr.write(
    `${records} records: plan ${plan.peakMegabytes} MB, apply ${apply.peakMegabytes} MB\n`,
  );
  for (const { peakMegabytes } of [plan, apply]) {
    expect(peakMegabytes).toBeGreaterThan(10);
    expect(peakMegabytes).toBeLessThan(mostMegabytes);
  }
}, 600_000);
