import { describe, expect, test } from "vitest";
import { createConsoleStand } from "../../../support/console-stand.ts";
import { oddText, type Oddity } from "../../../support/odd-fields.ts";
import { runHere } from "../../../support/cli.ts";
import { createEnv } from "../../../support/daemon.ts";
import { startService } from "../../../support/service.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";
import { takeCensus } from "../../../../src/job/census/count-and-copy-expiring.ts";

const redis = useRedis();
const hourAgo = Date.now() - 3_600_000;
let sequence = 0;

const atOnce = `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }]
`;
const withLane = `
    lane: { canary: 3, watch: 2s }
${atOnce}`;

function ordinary(url: string): Readonly<Record<string, unknown>> & { readonly dlqId: string } {
  sequence += 1;
  return {
    dlqId: `${hourAgo + sequence}-0`,
    messageId: `msg_odd-${sequence}`,
    url: `${url}/hook`,
    createdAt: hourAgo,
    responseStatus: 503,
    method: "POST",
    header: {},
    body: `{"n":${sequence}}`,
  };
}

/** An odd record between 20 ordinary ones. */
function seed({ emulator, receiver }: Pick<Rig, "emulator" | "receiver">, odd: readonly Oddity[]) {
  const records = Array.from({ length: 21 }, () => ordinary(receiver.url));
  const texts = records.map((record, index) => oddText(record, index === 10 ? odd : []));
  const ids = emulator.dlq.seedTexts(texts);
  return { odd: ids[10]!, others: ids.toSpliced(10, 1) };
}

const surrogate = "a lone high surrogate";
const cases: readonly (readonly [string, readonly Oddity[]])[] = [
  ["a queue", [["queueName", surrogate]]],
  [
    "a queue and a flow control key",
    [
      ["queueName", surrogate],
      ["flowControlKey", surrogate],
      ["parallelism", "1"],
    ],
  ],
  ["an address", [["url", "a surrogate behind a host"]]],
  ["a label", [["label", surrogate]]],
  ["the text of its failure", [["responseBody", surrogate]]],
  ["a group", [["topicName", surrogate]]],
];

describe.each(cases)("half a character in %s", (_, odd) => {
  test("ends no pass: the others go, it is parked or sent", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: atOnce });
    const { others, odd: id } = seed(rig, odd);
    expect(await rig.pass()).toMatchObject({ kind: "closed", outcome: "complete" });
    expect(others.filter((one) => rig.emulator.dlq.find(one) !== undefined)).toEqual([]);
    const { views } = await rig.drain.source.ledger.peek([id as never]);
    expect(["parked", "gone"]).toContain(views[0]?.state);
  });

  test("ends no pass of lanes either", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: withLane });
    seed(rig, odd);
    expect(await rig.pass()).toMatchObject({ kind: "closed", outcome: "complete" });
  });
});

test("the census counts a source with half a character in a queue's name", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: atOnce });
  seed(rig, [["queueName", surrogate]]);
  const { source, config } = rig.drain;
  const never = new AbortController().signal;
  const order = { source, drains: [config], documentHash: "h", archive: null };
  expect(await takeCensus(order, { signal: never, stopping: never })).toMatchObject({ depth: 21 });
});

test("the console shows such a record", async () => {
  const stand = await createConsoleStand({ redisUrl: redis.url(), drain: atOnce });
  const { odd } = seed(stand, [
    ["queueName", surrogate],
    ["flowControlKey", surrogate],
  ]);
  expect(await stand.pass()).toMatchObject({ outcome: "complete" });
  for (const path of [
    `/messages/default/${odd}`,
    "/failures",
    "/parked",
    "/api/v1/failures",
    "/api/v1/parked",
  ]) {
    const answer = await stand.get(path);
    expect([path, answer.status]).toEqual([path, 200]);
  }
});

test.each(["10,000 levels", "10,000 levels of a header", "a list of such objects"])(
  "the console shows a record whose header is %s",
  async (value) => {
    const stand = await createConsoleStand({ redisUrl: redis.url(), drain: atOnce });
    const { odd } = seed(stand, [["header", value]]);
    const answer = await stand.get(`/messages/default/${odd}`);
    expect(answer.status).toBe(200);
  },
);

test("a record with more headers than any may have is parked for it, without being built", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: atOnce });
  const { odd } = seed(rig, [["header", "10,000 headers"]]);
  expect(await rig.pass()).toMatchObject({
    tally: { republished: 20, reasons: { parked: { "over-limit": 1 } } },
  });
  expect(rig.emulator.dlq.find(odd)).toBeDefined();
});

test("drain ends with 0 if all others went and the odd one is parked", async () => {
  const { emulator, receiver } = await startService();
  const document = `version: 1\nsources: { default: {} }\ndrains:\n  main:\n    mode: live\n    lane: none\n${atOnce}`;
  const { env } = createEnv({ emulator, redisUrl: redis.url(), document });
  const { others } = seed({ emulator, receiver }, [
    ["queueName", surrogate],
    ["flowControlKey", surrogate],
  ]);
  expect(await runHere(["drain", "main", "--yes"], env)).toMatchObject({ exitCode: 0 });
  await emulator.idle();
  expect(others.filter((one) => emulator.dlq.find(one) !== undefined)).toEqual([]);
  expect([...receiver.counts().values()]).toEqual(others.map(() => 1));
});
