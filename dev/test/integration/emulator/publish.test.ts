import { describe, expect, test } from "vitest";
import { usePublishStand } from "../../../../test/support/publish-stand.ts";

const stand = usePublishStand();
const { publish, published, start } = stand;

describe("batch publish", () => {
  test("answers URL, queue and URL Group items in request order, with an array for the group", async () => {
    await start();
    stand.emulator.putUrlGroup("orders", [
      { name: "first", url: `${stand.target}/a` },
      { url: `${stand.target}/b` },
    ]);
    const { status, body } = await publish([
      { destination: `${stand.target}/plain`, body: "1" },
      { destination: "orders", body: "2" },
      { destination: `${stand.target}/queued`, queue: "q", body: "3" },
    ]);
    expect(status).toBe(200);
    expect(body).toEqual([
      { messageId: expect.stringMatching(/^msg_/) },
      [
        { messageId: expect.stringMatching(/^msg_/), url: `${stand.target}/a` },
        { messageId: expect.stringMatching(/^msg_/), url: `${stand.target}/b` },
      ],
      { messageId: expect.stringMatching(/^msg_/) },
    ]);
    await stand.emulator.idle();
    expect(new Set(stand.received.map(({ path }) => path))).toEqual(
      new Set(["/a", "/b", "/plain", "/queued"]),
    );
    expect(stand.received).toHaveLength(4);
  });

  test("refuses a wrong token with 401 and accepts it once it has become right", async () => {
    await start();
    expect(await publish([], "other")).toEqual({ status: 401, body: { error: "unauthorized" } });
    stand.emulator.setToken("other");
    expect((await publish([], "other")).status).toBe(200);
  });

  test.each([
    ["no array", {}],
    ["not JSON", "["],
    ["an item that is no object", [1]],
    ["no destination", [{ body: "x" }]],
    ["a destination that is neither URL nor URL Group", [{ destination: "nowhere" }]],
    ["a body that is no string", [{ destination: "http://127.0.0.1:9/", body: {} }]],
    ["a header that is no string", [{ destination: "http://127.0.0.1:9/", headers: { A: 1 } }]],
    ["an unknown field", [{ destination: "http://127.0.0.1:9/", url: "x" }]],
    [
      "a queue with a delay",
      [{ destination: "http://127.0.0.1:9/", queue: "q", headers: { "Upstash-Delay": "1s" } }],
    ],
    [
      "a colon in a dedup id",
      [{ destination: "http://127.0.0.1:9/", headers: { "upstash-deduplication-id": "a:b" } }],
    ],
  ])("fails as a whole on %s", async (_, items) => {
    await start();
    const good = { destination: `${stand.target}/good`, body: "good" };
    const { status, body } = await publish(Array.isArray(items) ? [good, ...(items as unknown[])] : items);
    expect({ status, body }).toEqual({ status: 400, body: { error: expect.any(String) } });
    await stand.emulator.idle();
    expect(stand.received).toEqual([]);
    expect(stand.emulator.journal.counts().accepted).toBe(0);
  });

  test("refuses a message over the size limit with 412", async () => {
    await start({ maxMessageBytes: 10 });
    const { status, body } = await publish([{ destination: stand.target, body: "x".repeat(11) }]);
    expect(status).toBe(412);
    expect(body).toEqual({ error: expect.stringMatching(/^quota maxMessageSize exceeded/) });
  });

  test("does not enqueue a deduplication id twice inside the window, even after the first one failed", async () => {
    stand.answer = () => ({ status: 500 });
    await start({ dedupWindowMs: 60_000 });
    const item = {
      destination: stand.target,
      headers: { "Upstash-Deduplication-Id": "once", "Upstash-Retries": "0" },
    };
    const [first] = await published([item]);
    await stand.emulator.idle();
    expect(stand.emulator.dlq.size).toBe(1);
    expect(await published([item])).toEqual([{ ...first, deduplicated: true }]);
    await stand.emulator.idle();
    expect(stand.received).toHaveLength(1);

    stand.emulator.clock.advance(60_001);
    expect((await published([item]))[0]).not.toHaveProperty("deduplicated");
  });

  test("recognises equal content when asked to", async () => {
    await start();
    const item = {
      destination: stand.target,
      body: "same",
      headers: { "Upstash-Content-Based-Deduplication": "true" },
    };
    const answers = await published([item, item, { ...item, body: "other" }]);
    expect(answers.map(({ deduplicated }) => deduplicated)).toEqual([undefined, true, undefined]);
  });

  test("takes headers in another order for equal content", async () => {
    await start();
    const one = {
      "Upstash-Content-Based-Deduplication": "true",
      "Upstash-Forward-A": "1",
      "Upstash-Forward-B": "2",
    };
    const other = Object.fromEntries(Object.entries(one).toReversed());
    const answers = await published([one, other].map((headers) => ({ destination: stand.target, headers })));
    expect(answers.map(({ deduplicated }) => deduplicated)).toEqual([undefined, true]);
  });
});

test("rate limits answer 429 with the burst headers until the window has passed", async () => {
  await start({ rateLimits: { batch: { limit: 2, windowMs: 60_000 } }, clock: { now: () => 60_000 } });
  expect([(await publish([])).status, (await publish([])).status, (await publish([])).status]).toEqual([
    200, 200, 429,
  ]);
  stand.emulator.clock.advance(60_000);
  expect((await publish([])).status).toBe(200);
});
