import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../../../dev/emulator/index.ts";
import { expectTold, linesOf } from "../../../../support/cli.ts";
import { createCommandStand, wholeQueue, type CommandStand } from "../../../../support/command-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const setUp = (text?: string, options?: EmulatorOptions) => createCommandStand(redis.url(), text, options);

const because = ["--reason", "the receiver is fixed", "--by", "ann"];

it("a message that comes back is one story: its dead letters are found from the first and from the last", async () => {
  const { emulator, receiver, seed, run, rows, drain } = await setUp(wholeQueue);
  receiver.answer = () => 500;
  const [first = ""] = seed(1, { responseStatus: 503 });
  expect(await drain()).toMatchObject({ republished: 1 });
  // A pass lists what has been there for five seconds: each look costs a second of a machine that others use.
  await expect.poll(async () => (await drain())["parked"], { timeout: 90_000, interval: 500 }).toBe(1);
  const [parked] = await rows("parked", "list");
  expect(parked).toMatchObject({ reason: "attempts-exhausted", attempt: 1, rule: "outage", status: 500 });
  const last = String(parked?.["dlqId"]);
  expect(last).not.toBe(first);

  receiver.answer = () => 200;
  await run(["parked", "release", "--for", "attempts-exhausted", "--yes", ...because]);
  expect(await drain()).toMatchObject({ republished: 1, deleted: 1 });
  await emulator.idle();
  expect(receiver.deliveries.map(({ body }) => body)).toEqual(["of-a-body 1", "of-a-body 1"]);

  const story = (await rows("history", first)).map(({ act, dlqId }) => [act, dlqId]);
  expect(story).toEqual([
    ["delete", last],
    ["published", last],
    ["republish", last],
    ["release", last],
    ["park", last],
    ["delete", first],
    ["published", first],
    ["republish", first],
  ]);
  expect((await rows("history", last)).map(({ act, dlqId }) => [act, dlqId])).toEqual(story);
  const parts = await rows("history", last);
  expect(parts.find(({ act }) => act === "park")).toMatchObject({ parent: first });
  // A receiver knows its message's id alone.
  const { as } = parts.find(({ act, dlqId }) => act === "published" && dlqId === first) ?? {};
  expect((await rows("history", String(as))).map(({ act, dlqId }) => [act, dlqId])).toEqual(story);
}, 120_000);

const comeBacks = ({ emulator }: CommandStand) =>
  emulator.journal.entries().flatMap((entry) => (entry.type === "dead-lettered" ? [entry.dlqId] : []));

/** Redriven once and dead again; `first` is what it came back from. */
async function setUpComeBack(options?: EmulatorOptions) {
  const stand = await setUp(wholeQueue, options);
  stand.receiver.answer = () => 500;
  const [first = ""] = stand.seed(1, { responseStatus: 503 });
  expect(await stand.drain()).toMatchObject({ republished: 1 });
  await stand.emulator.idle();
  const [last = ""] = comeBacks(stand);
  expect(last).not.toBe("");
  return { ...stand, first, last };
}
const acts = (text: string) => linesOf(text).map(({ act, dlqId }) => [act, dlqId]);

describe("a message that has only just come back, so that nothing was done to it yet", () => {
  it("has the story of those it came back from, found by its signed lineage, and says so", async () => {
    const { run, first, last } = await setUpComeBack();
    const story = [
      ["delete", first],
      ["published", first],
      ["republish", first],
    ];
    const json = await run(["history", last, "--json"]);
    expect({ acts: acts(json.out), exitCode: json.exitCode }).toEqual({ acts: story, exitCode: 0 });
    const note = `${last} is in the queue of default: it came back from ${first} after attempt 1, and nothing was done to it since; rules explain ${last} tells why it waits\n`;
    expect(json.err).toContain(note);
    expect((await run(["history", last])).err).toContain(note);
  });

  it("is asked of the queue only where the audit does not tell, and a queue that is away is said", async () => {
    const { run, emulator, first, last } = await setUpComeBack();
    const seen = emulator.journal.entries().length;
    expect((await run(["history", first])).err).toBe("");
    expect(emulator.journal.entries()).toHaveLength(seen);
    emulator.faults.add({ kind: "status", operation: "list", status: 500, name: "down" });
    const { err, exitCode } = await run(["history", last]);
    expect(exitCode).toBe(1);
    expect(err).toMatch(/^the queue of default was not listed \(service-unavailable: .*\); what/m);
  });
});

describe("redriver history", () => {
  it("shows a table, newest first, of a drain and of a span of time", async () => {
    const { seed, run, rows, drain } = await setUp();
    seed(2);
    seed(1, { topicName: "refunds", responseStatus: 404 });
    await drain();
    await drain("refunds");
    const paused = await run(["pause", "refunds", "--reason", "deploy", "--by", "bob"]);
    expect(paused.exitCode).toBe(0);
    await run(["pause", "--all", "--reason", "incident"]);
    await run(["resume", "--all", "--reason", "over", "--by", "eve"]);

    const all = await run(["history", "--records"]);
    expect(all).toMatchObject({ exitCode: 0, err: "" });
    const lines = all.out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^when +act +dlqId +drain +rule +reason +notes +why +by +as$/);
    expect(lines[1]).toMatch(/ resume +- +every drain of default +- +- +- +over +eve +-$/);
    expect(lines[3]).toMatch(/ pause +- +refunds +- +- +- +deploy +bob +-$/);
    expect(lines).toHaveLength(7);

    const acts = async (...flags: readonly string[]) =>
      (await rows("history", "--records", ...flags)).map(({ act }) => act);
    expect(await acts("--drain", "refunds")).toEqual(["resume", "pause", "pause", "park"]);
    expect(await acts("--since", "1h")).toHaveLength(6);
    expect(await acts("--until", "1h")).toEqual([]);
    const reversed = await run(["history", "--since", "1h", "--until", "2h"]);
    expect(reversed).toMatchObject({ exitCode: 2, err: expect.stringContaining("ends before it begins") });

    for (const command of [["history"], ["parked", "list"]]) {
      const { exitCode, err } = await run([...command, "--drain", "refund"]);
      expect({ exitCode, err }).toEqual({
        exitCode: 0,
        err: 'nothing is known of a drain named "refund"; the document has orders, refunds\n',
      });
    }
  });

  it("ends with 1 for an id of which nothing is known, and says when there is more", async () => {
    const { seed, run, drain } = await setUp();
    seed(3);
    await drain();
    const { exitCode, err } = await run(["history", "9-9"]);
    expect(exitCode).toBe(1);
    expect(err).toContain("nothing is known of 9-9");
    // The id that a message had when it failed first.
    expect(await run(["history", "msg_first"])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("30 days, by dlqId or the id"),
    });
    expect(await run(["history", "--records", "--limit", "2"])).toMatchObject({
      exitCode: 0,
      err: "there is more than these 2; see --limit\n",
    });
  });
});

/** Three parked of one rule and two of none, in two drains; one redriven elsewhere; one pause. */
async function setUpActs() {
  const stand = await setUp();
  const { seed, drain, run } = stand;
  seed(3);
  seed(2, { topicName: "refunds", responseStatus: 404, url: "https://refunds.example.com/x" });
  seed(1, { responseStatus: 503 });
  await drain();
  await drain("refunds");
  await run(["pause", "refunds", "--reason", "deploy", "--by", "bob"]);
  return stand;
}

describe("redriver history, an act of many records", () => {
  it("is one row with a count, also if it was more than 100 records in one call", async () => {
    const { seed, drain, run, rows } = await setUp();
    seed(130);
    await drain();
    expect(await rows("history")).toMatchObject([
      { act: "park", count: 130, rule: "broken", reason: "rule" },
    ]);
    await run(["parked", "release", "--all", "--yes", ...because]);
    expect((await rows("history")).map(({ act, count, why }) => [act, count, why])).toEqual([
      ["release", 130, because[1]],
      ["park", 130, undefined],
    ]);
    expect(await rows("history", "--records", "--act", "park")).toHaveLength(130);
    const table = await run(["history"]);
    expect(table.out).toMatch(/^when +act +count +drain +rule +reason +host +notes +why +by\n/);
    expect(table.out).toMatch(/ release +130 +orders +- +rule +127\S+ +- +the receiver is fixed +ann\n/);
    expect(table.out.trimEnd().split("\n")).toHaveLength(3);
  });

  it("is found by what it was, whose it was and where it went", async () => {
    const { rows } = await setUpActs();
    for (const [flags, acts] of [
      ["--act park", "park 2, park 3"],
      ["--act published,delete --act pause", "pause 0, delete 1, published 1"],
      ["--rule broken", "park 3"],
      ["--rule outage", "published 1, republish 1"],
      ["--host refunds.example.com", "park 2"],
      ["--host 127.*", "published 1, republish 1, park 3"],
      ["--host 127.* --rule broken --drain orders", "park 3"],
      ["--by b*b", "pause 0"],
      ["--by nobody", ""],
      ["--lanes", ""],
      ["--limit 1 --by bob --act pause", "pause 0"],
    ] as const) {
      const found = await rows("history", ...flags.split(" "));
      expect([flags, found.map(({ act, count }) => `${String(act)} ${String(count)}`).join(", ")]).toEqual([
        flags,
        acts,
      ]);
    }
  });

  it("of which the audit has no host or rule is left out by such a filter, and that is said", async () => {
    const { run, seed, drain } = await setUp();
    const [id = ""] = seed(2);
    await drain();
    await run(["parked", "release", id, "--yes", ...because]);
    const asked = await run(["history", "--host", "127.*"]);
    // A release has the host of its kind of failure, though nobody listed the queue for it.
    expect(asked.out).toContain("release");
    expect(asked.err).toBe("");
    expect((await run(["history", "--rule", "broken"])).err).toBe(
      "left out, because the rule of these was not known when they were written down: 1 release\n",
    );
  });

  it.each([
    [["--act", "publish"], /No act is named "publish"; the acts are republish, published, drop, park, /],
    [["--lanes", "--act", "park"], /cannot be used with option/],
    [["--summary", "--limit", "3"], /cannot be used with option/],
    [["1-0", "--summary"], /--summary is not about one dead letter/],
  ])("is used wrongly with %j", async (flags, told) => {
    const { run } = await setUp();
    expectTold(await run(["history", ...flags]), 2, told);
  });
});
