import { describe, expect, it } from "vitest";
import { createCommandStand, wholeQueue } from "../support/command-stand.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis();
const setUp = (text?: string) => createCommandStand(redis.url(), text);

const because = ["--reason", "the receiver is fixed", "--by", "ann"];

describe("a message that comes back", () => {
  it("is one story: its dead letters are found from the first and from the last", async () => {
    const { receiver, seed, run, rows, drain } = await setUp(wholeQueue);
    receiver.answer = () => 500;
    const [first = ""] = seed(1, { responseStatus: 503 });
    expect(await drain()).toMatchObject({ republished: 1 });
    // The come-back has to be older than minAge.
    await expect.poll(async () => (await drain())["parked"], { timeout: 20_000 }).toBe(1);
    const [parked] = await rows("parked", "list");
    expect(parked).toMatchObject({ reason: "attempts-exhausted", attempt: 1, rule: "outage", status: 500 });
    const last = String(parked?.["dlqId"]);
    expect(last).not.toBe(first);

    receiver.answer = () => 200;
    await run(["parked", "release", "--for", "attempts-exhausted", "--yes", ...because]);
    expect(await drain()).toMatchObject({ republished: 1, deleted: 1 });
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

    const all = await run(["history"]);
    expect(all).toMatchObject({ exitCode: 0, err: "" });
    const lines = all.out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^when +act +dlqId +drain +rule +reason +by +as$/);
    expect(lines[1]).toMatch(/ resume +- +\(all\) +- +over +eve +-$/);
    expect(lines[3]).toMatch(/ pause +- +refunds +- +deploy +bob +-$/);
    expect(lines).toHaveLength(7);

    const acts = async (...flags: readonly string[]) =>
      (await rows("history", ...flags)).map(({ act }) => act);
    expect(await acts("--drain", "refunds")).toEqual(["resume", "pause", "pause", "park"]);
    expect(await acts("--since", "1h")).toHaveLength(6);
    expect(await acts("--until", "1h")).toEqual([]);
  });

  it("ends with 1 for an id of which nothing is known, and says when there is more", async () => {
    const { seed, run, drain } = await setUp();
    seed(3);
    await drain();
    const unknown = await run(["history", "9-9"]);
    expect(unknown).toMatchObject({ exitCode: 1, err: expect.stringContaining("nothing is known of 9-9") });
    const cut = await run(["history", "--limit", "2"]);
    expect(cut).toMatchObject({ exitCode: 0, err: "there is more than these 2; see --limit\n" });
  });
});
