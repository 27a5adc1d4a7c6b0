import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EmulatorStand, failDead } from "../../../../test/support/emulator-stand.ts";

let stand: EmulatorStand;
beforeEach(() => {
  stand = new EmulatorStand();
});
afterEach(() => stand.close());

interface Shown {
  readonly state: string;
  readonly messageId: string;
  readonly time: number;
}

async function events(query = ""): Promise<readonly Shown[]> {
  const { status, body } = await stand.call("GET", `/v2/events${query}`);
  expect(status).toBe(200);
  return body.events;
}

const ids = async (query: string): Promise<string[]> =>
  (await events(query)).map(({ messageId }) => messageId);

const states = async (query = ""): Promise<string[]> => (await events(query)).map(({ state }) => state);

async function publish(path: string, headers: Record<string, string> = {}): Promise<string> {
  const { body } = await stand.call("POST", `/v2/publish/${stand.target}${path}`, headers, "secret");
  return body.messageId;
}

describe("what became of a message", () => {
  test("is there newest first: delivered, failed for good, cancelled", async () => {
    await stand.start();
    stand.answer = failDead;
    const good = await publish("/good");
    await stand.emulator.idle();
    const dead = await publish("/dead", { "Upstash-Retries": "1" });
    await stand.emulator.idle();
    const gone = await publish("/gone", { "Upstash-Delay": "1h" });
    await stand.call("DELETE", `/v2/messages/${gone}`);

    expect(await states(`?messageId=${good}`)).toEqual(["DELIVERED", "ACTIVE", "CREATED"]);
    expect(await states(`?messageIds=${dead}`)).toEqual([
      "FAILED",
      "ERROR",
      "ACTIVE",
      "RETRY",
      "ERROR",
      "ACTIVE",
      "CREATED",
    ]);
    expect(await states(`?messageIds=${gone}&messageIds=${good}`)).toEqual([
      "CANCELED",
      "CREATED",
      "DELIVERED",
      "ACTIVE",
      "CREATED",
    ]);
    expect(await events(`?messageId=${dead}&state=ERROR`)).toMatchObject([
      { error: "the destination answered 500", responseStatus: 500 },
      { error: "the destination answered 500" },
    ]);
  });

  test("has the message's facts, redacted where it asks for that, and never a body", async () => {
    await stand.start({ clock: { now: () => 1_700_000_000_000 } });
    const messageId = await publish("/a?b=1", {
      "Upstash-Label": "one,two",
      "Upstash-Redact-Fields": "header[X-Key]",
      "Upstash-Forward-X-Key": "k3y",
      "Upstash-Forward-X-Plain": "1",
      "Upstash-Delay": "1h",
    });
    const [created] = await events(`?messageId=${messageId}`);
    expect(created).toMatchObject({
      state: "CREATED",
      url: `${stand.target}/a?b=1`,
      method: "POST",
      label: "one",
      labels: ["one", "two"],
      callerIP: "127.0.0.1",
      nextDeliveryTime: 1_700_003_600_000,
      header: { "X-Plain": ["1"], "X-Key": [expect.stringMatching(/^REDACTED:/)] },
    });
    expect(JSON.stringify(created)).not.toMatch(/secret|k3y/);
  });

  test("is the same as logs", async () => {
    await stand.start();
    await publish("/a");
    await stand.emulator.idle();
    const { body } = await stand.call("GET", "/v2/logs");
    expect(body).toEqual({ logs: await events() });
  });
});

describe("a page of them", () => {
  test("is as long as asked for, and its cursor leads to older ones, whatever came since", async () => {
    await stand.start();
    for (let n = 0; n < 5; n++) await publish(`/${n}`, { "Upstash-Delay": "1h" });
    const all = (await events()).map(({ messageId }) => messageId);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await stand.call("GET", `/v2/events?count=2${cursor ? `&cursor=${cursor}` : ""}`);
      seen.push(...body.events.map((event: Shown) => event.messageId));
      cursor = body.cursor;
      await publish("/later", { "Upstash-Delay": "1h" });
    } while (cursor !== undefined);
    expect(seen).toEqual(all);
  });

  test("begins at a moment, as older clients ask for it, and keeps to dates", async () => {
    await stand.start({ clock: { now: () => 1_700_000_000_000 } });
    const early = await publish("/early", { "Upstash-Delay": "1d" });
    stand.emulator.clock.advance(1_000);
    const late = await publish("/late", { "Upstash-Delay": "1d" });
    expect(await ids("?cursor=1700000000999")).toEqual([early]);
    expect(await ids("?cursor=1700000001000")).toEqual([late, early]);
    expect(await ids("?toDate=1700000000000")).toEqual([early]);
    expect(await ids("?fromDate=1700000000001")).toEqual([late]);
  });

  test.each([
    ["label=a", ["/a"]],
    ["label=a&label=b", ["/b", "/a"]],
    ["path=/a&label=b", []],
    ["host=127.0.0.1", ["/b", "/a"]],
    ["flowControlKey=k", ["/b"]],
    ["queueName=q", []],
    ["state=IN_PROGRESS", []],
    ["state=CREATED", ["/b", "/a"]],
    ["state=CANCELLED", []],
    ["label=", ["/b", "/a"]],
  ])("has what %s asks for", async (query, paths) => {
    await stand.start();
    const later = { "Upstash-Delay": "1h" };
    await publish("/a", { ...later, "Upstash-Label": "a" });
    const flow = { "Upstash-Flow-Control-Key": "k", "Upstash-Flow-Control-Value": "parallelism=1" };
    await publish("/b", { ...later, ...flow, "Upstash-Label": "b" });
    const found = (await events(`?${query}`)) as readonly (Shown & { url: string })[];
    expect(found.map(({ url }) => new URL(url).pathname)).toEqual(paths);
  });

  test.each(["colour=red", "state=LOST", "count=0", "count=1001", "cursor=x", "cursor=1-2-3", "fromDate=x"])(
    "is refused for %s",
    async (query) => {
      await stand.start();
      expect((await stand.call("GET", `/v2/events?${query}`)).status).toBe(400);
    },
  );

  test("shows the newest of more than are kept", async () => {
    await stand.start({ logLimit: 3 });
    const ids: string[] = [];
    for (let n = 0; n < 8; n++) ids.push(await publish(`/${n}`, { "Upstash-Delay": "1h" }));
    expect((await events()).map(({ messageId }) => messageId)).toEqual(ids.slice(-3).toReversed());
    await stand.emulator.reset();
    expect(await events()).toEqual([]);
  });
});
