import { expect, it } from "vitest";
import { createCommandStand, type CommandStand } from "../../../../support/command-stand.ts";
import { expectTold } from "../../../../support/cli.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

/** `orders` and `refunds` send to the same receiver. A watch is over within a test, the next probe is not. */
const withLanes = `
version: 1
sources: { default: {} }
defaults: { lane: { canary: 5, watch: 2s, haltAt: 20%, probeEvery: 1h }, minAge: 1s }
drains:
  orders:
    mode: live
    select: { topicName: orders }
    attempts: { max: 3, wait: [1s], then: park }
    rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }]
  refunds:
    mode: live
    select: { topicName: refunds }
    rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }]
`;
const because = ["--reason", "they say it is back", "--by", "ann"];

const setUp = () => createCommandStand(redis.url(), withLanes);
const hostOf = ({ receiver }: CommandStand): string => new URL(receiver.url).host;

/** Its lane in `orders` is halted, and the next probe an hour away. */
async function setUpHalted(): Promise<CommandStand> {
  const stand = await setUp();
  stand.receiver.answer = () => 503;
  stand.seed(20, { responseStatus: 503 });
  await stand.drain();
  expect(stand.receiver.deliveries).toHaveLength(5);
  return stand;
}

it("lists lanes by trouble, with what they wait for", async () => {
  const stand = await setUpHalted();
  stand.seed(1, { responseStatus: 503, topicName: "refunds", url: `${stand.receiver.url}/other` });
  stand.receiver.answer = () => 200;
  await stand.drain("refunds");
  const rows = await stand.rows("lanes");
  expect(rows).toMatchObject([
    {
      drain: "orders",
      origin: stand.receiver.url,
      state: "halted",
      why: "5 of 5 failed again, 503",
      waitsFor: "no replica",
      lastProbeAt: null,
      totals: { canaries: 5, comeBacks: 5, halts: 1 },
      source: "default",
    },
    { drain: "refunds", origin: stand.receiver.url },
  ]);
  expect(await stand.rows("lanes", "list", "--drain", "refunds")).toHaveLength(1);
  const first = await stand.run(["lanes", "--limit", "1", "--json"]);
  expect(JSON.parse(first.out)).toMatchObject({ state: "halted" });
  const { out } = await stand.run(["lanes"], { terminal: true });
  expect(out).toMatch(/^destination +drain +state +for +next\n/);
  expect(out).toContain("5 of 5 failed again, 503; 5 canaries, 5 failed again");
  const none = await stand.run(["lanes", "--drain", "ordres"]);
  expect(none.err).toContain('nothing is known of a drain named "ordres"');
});

it("probe makes one message go now, which counts as any probe; reset starts over with five", async () => {
  const stand = await setUpHalted();
  const { run, receiver, drain, rows } = stand;
  // Not for an hour.
  await drain();
  expect(receiver.deliveries).toHaveLength(5);

  const due = await run(["lanes", "probe", hostOf(stand), ...because]);
  expect(due).toMatchObject({ exitCode: 0, out: "" });
  expect(due.err).toEqual(
    expect.stringContaining(
      `${hostOf(stand)} of orders: its next probe is due now; nothing goes yet: no replica is running\n`,
    ),
  );
  await drain();
  expect(receiver.deliveries).toHaveLength(6);
  await drain();
  expect(receiver.deliveries).toHaveLength(6);
  expect(await rows("lanes")).toMatchObject([{ state: "halted", totals: { canaries: 6 } }]);

  receiver.answer = () => 200;
  const reset = await run(["lanes", "reset", receiver.url, "--drain", "orders", ...because]);
  expect(reset.err).toContain(`${hostOf(stand)} of orders: it was halted, and starts over at canary`);
  await expect.poll(() => drain(), { timeout: 60_000, interval: 500 }).toMatchObject({ listed: 0 });
  expect(receiver.deliveries.filter(({ body }) => body === "of-a-body 20")).not.toHaveLength(0);

  const acts = (await rows("history")).filter(({ act }) => String(act).startsWith("lane-"));
  const byPerson = acts.filter(({ by }) => by === "ann");
  expect(byPerson).toMatchObject([
    {
      act: "lane-reset",
      drain: "orders",
      why: because[1],
      lane: { origin: receiver.url, from: "halted", to: "canary" },
    },
    { act: "lane-probe", drain: "orders", why: because[1], lane: { origin: receiver.url, from: "halted" } },
  ]);
});

it("says what cannot be probed, and leaves nothing of it in the audit", async () => {
  const stand = await setUpHalted();
  const { run, rows, receiver } = stand;
  const host = hostOf(stand);
  const acts = async () => (await rows("history")).filter(({ by }) => by === "ann");

  expectTold(await run(["lanes", "probe", "pay.example.com", ...because]), 2, "no lane of pay.example.com");
  expectTold(await run(["lanes", "probe", host]), 2, "--reason");
  expectTold(await run(["lanes", "probe", `${receiver.url}/hook`, ...because]), 2, "expected a host");

  stand.seed(1, { responseStatus: 503, topicName: "refunds" });
  receiver.answer = () => 200;
  await stand.drain("refunds");
  expectTold(await run(["lanes", "probe", host, ...because]), 2, "--drain (orders, refunds)");
  const unhalted = await run(["lanes", "probe", host, "--drain", "refunds", ...because]);
  expectTold(unhalted, 1, "only a halted lane is probed");
  expect(await acts()).toEqual([]);

  expect(
    await run(["lanes", "probe", host, "--drain", "orders"], {
      terminal: true,
      answer: "trying",
    }),
  ).toMatchObject({ exitCode: 0, questions: [expect.stringContaining("Why?")] });
  await stand.drain("orders");
  const out = await run(["lanes", "probe", host, "--drain", "orders", ...because]);
  expectTold(out, 1, /a probe is already out since \d\d:\d\d:\d\d UTC/);
  expect(await acts()).toHaveLength(0);
});
