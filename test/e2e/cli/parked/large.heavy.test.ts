import { expect, it } from "vitest";
import { createFolder } from "../../../support/command.ts";
import { startWithBacklog, watched } from "../../../support/large-backlog.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

/** Entries that were kept would take a kilobyte each. */
const records = 30_000;
const mostMegabytes = 155;

const document = `
version: 1
sources: { default: {} }
drains:
  orders:
    mode: live
    lane: none
    minAge: 1s
    otherwise: park
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
`;

it(`counts ${records} parked records of 5,000 hosts in under ${mostMegabytes} MB`, async () => {
  const folder = createFolder({ "drains.yaml": document });
  const env = await startWithBacklog(records, {
    drainsFile: `${folder.path}/drains.yaml`,
    redisUrl: redis.url(),
    name: "parked-large",
  });
  const drained = await watched(["drain", "orders", "--yes", "--json"], env);
  expect(drained.exitCode).toBe(0);

  const summary = await watched(["parked", "summary", "--json"], env);
  expect(summary.exitCode).toBe(0);
  const { total, reasons, hosts, failures } = JSON.parse(summary.out) as {
    readonly total: number;
    readonly reasons: readonly { readonly reason: string; readonly count: number }[];
    readonly hosts: Kinds;
    readonly failures: Kinds;
  };
  expect(total).toBe(records);
  expect(reasons.map(({ reason, count }) => [reason, count])).toEqual([
    ["otherwise", (records / 10) * 9],
    ["rule", records / 10],
  ]);
  for (const { top, more } of [hosts, failures]) {
    expect(top.reduce((sum, { count }) => sum + count, more.count)).toBe(records);
  }

  const list = await watched(["parked", "list"], env);
  expect(list.out.trimEnd().split("\n")).toHaveLength(101);
  expect(list.err).toContain(`these are 100 of ${records}; see --limit`);
  process.stderr.write(`parked summary ${summary.peakMegabytes} MB, list ${list.peakMegabytes} MB\n`);
  for (const { peakMegabytes } of [summary, list]) {
    expect(peakMegabytes).toBeGreaterThan(10);
    expect(peakMegabytes).toBeLessThan(mostMegabytes);
  }
}, 600_000);

interface Kinds {
  readonly top: readonly { readonly count: number }[];
  readonly more: { readonly count: number };
}
