import { describe, expect, it } from "vitest";
import { expectTold, linesOf } from "../../../../support/cli.ts";
import { createFolder } from "../../../../support/command.ts";
import { commandDocument, createCommandStand } from "../../../../support/command-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const setUp = () => createCommandStand(redis.url());

const because = ["--reason", "the receiver is fixed", "--by", "ann"];
const secrets = /of-a-query|of-a-header|of-a-body/;

it("a dead letter that a rule parked is released by a person and then published exactly once, and history tells it all", async () => {
  const { emulator, receiver, seed, run, rows, drain } = await setUp();
  const [id = "", other = ""] = seed(2);
  expect(await drain()).toMatchObject({ parked: 2, republished: 0 });
  expect(await rows("parked", "list")).toEqual([
    {
      v: 1,
      dlqId: id,
      enteredAt: Number(id.split("-")[0]),
      expiresAt: expect.any(Number),
      source: "default",
      drain: "orders",
      drainInDocument: true,
      reason: "rule",
      attempt: 0,
      listed: true,
      host: new URL(receiver.url).host,
      status: 422,
      failure: expect.stringMatching(/^[0-9a-f]{10}$/) as string,
      answer: "(empty)",
      rule: "broken",
    },
    expect.objectContaining({ dlqId: other }),
  ]);

  const released = await run(["parked", "release", id, "--yes", ...because]);
  expect(released).toMatchObject({ exitCode: 0, out: "" });
  expect(released.err).toMatch(/1 parked for rule by orders\nreleased 1; /);
  expect(await rows("parked", "list")).toMatchObject([{ dlqId: other }]);

  expect(await drain()).toMatchObject({ republished: 1, deleted: 1, parked: 1 });
  expect(await drain()).toMatchObject({ republished: 0, parked: 1 });
  expect([...receiver.counts().values()]).toEqual([1]);
  expect(emulator.dlq.size).toBe(1);

  const history = await rows("history", id);
  expect(history.map(({ act, rule, reason, by, why }) => [act, rule, reason, by, why])).toEqual([
    ["delete", undefined, undefined, expect.any(String), undefined],
    ["published", "broken", undefined, expect.any(String), undefined],
    ["republish", "broken", "due", expect.any(String), undefined],
    ["release", undefined, "rule", "ann", "the receiver is fixed"],
    ["park", "broken", "rule", expect.any(String), undefined],
  ]);
  expect(new Set(history.map(({ dlqId }) => dlqId))).toEqual(new Set([id]));
  const [accepted] = emulator.journal.entries("accepted");
  expect(history[1]).toMatchObject({ as: accepted?.messageId, attempt: 1 });
  expect(JSON.stringify(await rows("history", "--records"))).not.toMatch(secrets);
});

describe("redriver parked list", () => {
  it("takes only what its filters say, oldest first", async () => {
    const { receiver, seed, run, rows, drain } = await setUp();
    const orders = seed(3);
    const elsewhere = seed(1, { url: "https://api.example.com/hook" });
    const refunds = seed(2, { topicName: "refunds", responseStatus: 404 });
    await drain();
    await drain("refunds");
    const ids = async (...flags: readonly string[]) =>
      (await rows("parked", "list", ...flags)).map(({ dlqId }) => dlqId);
    expect(await ids()).toEqual([...orders, ...elsewhere, ...refunds]);
    expect(await ids("--drain", "refunds")).toEqual(refunds);
    expect(await ids("--for", "otherwise")).toEqual(refunds);
    expect(await ids("--for", "refused")).toEqual([]);
    expect(await ids("--host", "*.example.com")).toEqual(elsewhere);
    expect(await ids("--host", new URL(receiver.url).hostname)).toEqual([...orders, ...refunds]);
    expect(await ids("--rule", "broken", "--host", "127.*")).toEqual(orders);
    const table = await run(["parked", "list", "--limit", "2"]);
    expect(table.err).toMatch(
      /^failures that look alike\n {2}failure .*\n( {2}[0-9a-f]{10} +\d +\S+ +4(22|04) \(empty\)\n){3}these are 2 of 6; see --limit\n$/,
    );
    expect(table.out.trimEnd().split("\n")).toHaveLength(3);
    expect(table.out).toMatch(
      /^dlqId +entered +parked for +drain +rule now +host +status +answer +attempts\n/,
    );
    expectTold(await run(["parked", "list", "--for", "bad-luck"]), 2, "attempts-exhausted");
  });

  it("says which dead letters are gone from the queue, and remembers nothing of its looking", async () => {
    const { emulator, seed, run, rows, drain } = await setUp();
    const [id = ""] = seed(1);
    await drain();
    emulator.dlq.remove([id]);
    expect(await rows("parked", "list")).toMatchObject([{ dlqId: id, listed: false }]);
    expect((await run(["parked", "list"])).out).toContain("(gone from the queue)");
    expect(await rows("history", id)).toHaveLength(1);
  });

  it("finds what has dropped out of its drain's selection", async () => {
    const { emulator, seed, rows, drain } = await setUp();
    const [id = ""] = seed(1);
    await drain();
    emulator.dlq.remove([id]);
    emulator.dlq.seed([{ dlqId: id, url: "https://api.example.com/", createdAt: 1, topicName: "others" }]);
    expect(await rows("parked", "list")).toMatchObject([
      { dlqId: id, listed: true, host: "api.example.com" },
    ]);
  });
});

const refusal = (sku: number) =>
  JSON.stringify({ error: `sku ${sku} of ann@example.com is not sold any more` });

const enteredAt = (id: string): number => Number(id.split("-")[0]);

it("redriver parked summary counts all by reason, rule, destination and kind of failure, and says what to do next", async () => {
  const { emulator, receiver, seed, run, drain } = await setUp();
  const [first = ""] = seed(3, { responseBody: refusal(17) });
  seed(1, { url: "https://api.example.com/hook", responseBody: "no route" });
  const [gone = "", last = ""] = seed(2, { topicName: "refunds", responseStatus: 404 });
  await drain();
  await drain("refunds");
  emulator.dlq.remove([gone]);
  const { out, err, exitCode } = await run(["parked", "summary", "--json"]);
  expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
  const retention = 3 * 24 * 3_600_000;
  expect(JSON.parse(out)).toMatchObject({
    total: 6,
    reasons: [
      {
        drain: "orders",
        drainInDocument: true,
        reason: "rule",
        count: 4,
        gone: 0,
        oldestEnteredAt: enteredAt(first),
        firstExpiryAt: enteredAt(first) + retention,
        next: { command: 'redriver parked release --drain orders --for rule --reason "..."' },
      },
      { drain: "refunds", reason: "otherwise", count: 2, gone: 1, oldestEnteredAt: enteredAt(last) },
    ],
    rules: {
      top: [
        { rule: "broken", count: 4 },
        { rule: null, count: 1 },
      ],
    },
    hosts: {
      top: [
        { host: new URL(receiver.url).host, count: 4 },
        { host: "api.example.com", count: 1 },
      ],
    },
    failures: { top: [{ text: "sku <n> of <email> is not sold any more", count: 3 }, {}, {}] },
  });

  const table = await run(["parked", "summary"]);
  expect(table.err).toBe("");
  expect(table.out).toMatch(/^parked +6\nfirst expiry +20[^(]+\(in 2d2[23]h/);
  expect(table.out).toMatch(/^reasons\n.*\n +4 .* orders +0 +rule$/m);
  expect(table.out).toContain(
    '\n  orders, rule (4): change the rules of the drain, or send them once:\n    redriver parked release --drain orders --for rule --reason "..."\n',
  );
  const refunds = await run(["parked", "summary", "--drain", "refunds"]);
  expect(refunds.out).toMatch(/^parked +2$/m);
  expect(refunds.out).not.toContain("orders");
  expect((await run(["parked", "summary", "--for", "refused"])).out).toBe("nothing is parked\n");
  expect(`${out}${table.out}`).not.toMatch(secrets);
});

const renamed = () =>
  createFolder().write("drains.yaml", commandDocument.replace("\n  orders:\n", "\n  purchases:\n"));

it("what a drain parked that has another name now is marked where it is listed, and waits for a release whatever the rules are", async () => {
  const { seed, run, rows, drain } = await setUp();
  const [id = ""] = seed(1);
  seed(1, { topicName: "refunds", responseStatus: 404 });
  await drain();
  await drain("refunds");
  expect((await run(["parked", "list"])).err).not.toContain("not in the document");
  const drains = ["--drains", renamed()];
  const table = await run([...drains, "parked", "list"]);
  expect(table.out).toMatch(/ rule +orders \(not in the document\) +- /);
  expect(table.out).toMatch(/ otherwise +refunds +- /);
  expect(table.err).toMatch(/\n1 was parked by a drain that is not in the document [^\n]*release\n$/);
  expect(linesOf((await run([...drains, "parked", "list", "--json"])).out)).toMatchObject([
    { dlqId: id, drain: "orders", drainInDocument: false },
    { drain: "refunds", drainInDocument: true },
  ]);
  const shown = await run([...drains, "parked", "show", id]);
  expect(shown.out).toMatch(/^drain in document +no$/m);
  expect(shown.out).toMatch(/^waits for +a release, or a drain of that name again$/m);

  const pass = await run([...drains, "drain", "purchases", "--yes", "--json"]);
  expect(JSON.parse(pass.out)).toMatchObject([{ tally: { parked: 1, republished: 0 } }]);
  const released = await run([...drains, "parked", "release", "--drain", "orders", "--yes", ...because]);
  expect(released.err).toMatch(/1 parked for rule by orders \(not in the document\)\nreleased 1; /);
  const again = await run([...drains, "drain", "purchases", "--yes", "--json"]);
  expect(JSON.parse(again.out)).toMatchObject([{ tally: { republished: 1, deleted: 1 } }]);
  expect(await rows("parked", "list")).toHaveLength(1);
});

describe("redriver parked show", () => {
  it("tells why one is parked and what it waits for, without its contents", async () => {
    const { seed, run, rows, drain } = await setUp();
    const [id = ""] = seed(1);
    await drain();
    const shown = await run(["parked", "show", id]);
    expect(shown).toMatchObject({ exitCode: 0, err: "" });
    expect(shown.out).toMatch(/^reason +rule$/m);
    expect(shown.out).toMatch(/^waits for +other rules in its drain, or a release$/m);
    expect(shown.out).toMatch(/^rule +broken$/m);
    expect(shown.out).not.toMatch(secrets);
    expect(await rows("parked", "show", id)).toMatchObject([{ dlqId: id, record: { responseStatus: 422 } }]);
    expect((await run(["parked", "show", id, "--show-content"])).out).toContain("of-a-body 1");
  });

  it("ends with 1 for what is not parked, and says what it is", async () => {
    const { seed, run, drain } = await setUp();
    const [id = ""] = seed(1);
    await drain();
    await run(["parked", "release", id, "--yes", ...because]);
    const shown = await run(["parked", "show", id, "9-9"]);
    expectTold(shown, 1, `not parked: ${id} is released in source default`);
    expect(shown.err).toContain("not parked: 9-9 is not known to the ledger");
  });
});

describe("redriver parked release", () => {
  it.each([
    { flags: ["--yes", "--reason", "x"], told: "--all" },
    { flags: ["--all", "--drain", "orders", "--yes", "--reason", "x"], told: "--all" },
    { flags: ["--all", "--yes"], told: "--reason" },
    { flags: ["--all", "--reason", "x"], told: "--yes" },
    { flags: ["--all", "--yes", "--reason", "refused"], told: "--for refused" },
  ])("is used wrongly with $flags", async ({ flags, told }) => {
    const { run } = await setUp();
    expectTold(await run(["parked", "release", ...flags]), 2, told);
  });

  it("takes the oldest where it is limited", async () => {
    const { seed, run, rows, drain } = await setUp();
    const ids = seed(3);
    await drain();
    await run(["parked", "release", "--all", "--limit", "2", "--yes", ...because]);
    expect(await rows("parked", "list")).toMatchObject([{ dlqId: ids[2] }]);
    const released = (await rows("history", "--records")).filter(({ act }) => act === "release");
    expect(new Set(released.map(({ dlqId }) => dlqId))).toEqual(new Set(ids.slice(0, 2)));
  });
});
