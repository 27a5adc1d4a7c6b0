import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EmulatorStand, type Reply } from "../../../../test/support/emulator-stand.ts";

// A Monday, half a minute past 10:00 UTC.
const start = Date.UTC(2024, 0, 1, 10, 0, 30);
const minuteMs = 60_000;

let stand: EmulatorStand;
beforeEach(async () => {
  stand = new EmulatorStand();
  await stand.start({ clock: { now: () => start } });
});
afterEach(() => stand.close());

const create = (
  cron: string,
  headers: Record<string, string> = {},
  to = `${stand.target}/job`,
): Promise<Reply> =>
  stand.call("POST", `/v2/schedules/${to}`, { "Upstash-Cron": cron, ...headers }, "payload");

async function created(cron: string, headers: Record<string, string> = {}, to?: string): Promise<string> {
  const { status, body } = await create(cron, headers, to);
  expect(status).toBe(200);
  return body.scheduleId;
}

const shown = async (id: string): Promise<Record<string, unknown>> =>
  (await stand.call("GET", `/v2/schedules/${id}`)).body;

async function pass(minutes: number): Promise<void> {
  stand.emulator.clock.advance(minutes * minuteMs);
  await stand.emulator.idle();
}

describe("a schedule", () => {
  test("sends its message at each moment of its cron, as a message of its own", async () => {
    const id = await created("*/5 * * * *", { "Upstash-Forward-X-A": "1", "Upstash-Label": "l" });
    expect(id).toMatch(/^scd_/);
    await pass(4);
    expect(stand.received).toEqual([]);
    await pass(1);
    await pass(5);
    expect(stand.received).toHaveLength(2);
    expect(stand.received[0]).toMatchObject({
      method: "POST",
      path: "/job",
      headers: { "x-a": "1", "upstash-schedule-id": id },
    });
    expect(stand.received[0]!.body.toString()).toBe("payload");
    const fired = stand.emulator.journal.entries("scheduled");
    expect(fired).toMatchObject([{ scheduleId: id }, { scheduleId: id }]);
    expect(new Set(fired.flatMap(({ messageIds }) => messageIds)).size).toBe(2);
    expect((await stand.call("GET", `/v2/events?scheduleId=${id}&state=DELIVERED`)).body.events).toHaveLength(
      2,
    );
  });

  test("is shown with its settings, its last and its next moment", async () => {
    const id = await created("0 12 * * *", {
      "Content-Type": "text/plain",
      "Upstash-Schedule-Id": "noon.daily-1",
      "Upstash-Retries": "0",
      "Upstash-Method": "PUT",
      "Upstash-Callback": `${stand.target}/callback`,
      "Upstash-Label": "a,b",
    });
    expect(id).toBe("noon.daily-1");
    const facts = {
      scheduleId: id,
      cron: "0 12 * * *",
      createdAt: start,
      destination: `${stand.target}/job`,
      method: "PUT",
      header: { "Content-Type": ["text/plain"] },
      body: "payload",
      retries: 0,
      callback: `${stand.target}/callback`,
      callerIP: "127.0.0.1",
      isPaused: false,
      label: "a",
      labels: ["a", "b"],
    };
    const noon = Date.UTC(2024, 0, 1, 12);
    expect(await shown(id)).toEqual({ ...facts, nextScheduleTime: noon });
    stand.answer = (path) => ({ status: path === "/job" ? 500 : 200 });
    await pass(120);
    const [fired] = stand.emulator.journal.entries("scheduled");
    expect(await shown(id)).toEqual({
      ...facts,
      lastScheduleTime: noon,
      nextScheduleTime: noon + 24 * 60 * minuteMs,
      lastScheduleStates: { [fired!.messageIds[0]!]: "FAIL" },
    });
    expect(await stand.letters()).toMatchObject([{ scheduleId: id }]);
  });

  test("lets its moments pass while it is paused", async () => {
    const id = await created("* * * * *");
    expect((await stand.call("PATCH", `/v2/schedules/${id}/pause`)).status).toBe(200);
    await pass(3);
    expect(await shown(id)).toMatchObject({ isPaused: true });
    expect((await stand.call("POST", `/v2/schedules/${id}/resume`)).status).toBe(200);
    await pass(1);
    expect(stand.received).toHaveLength(1);
  });

  test("sends no more once it is deleted, or replaced by another with its id", async () => {
    await created("* * * * *", { "Upstash-Schedule-Id": "one" }, `${stand.target}/old`);
    await created("* * * * *", { "Upstash-Schedule-Id": "one" }, `${stand.target}/new`);
    await created("* * * * *", { "Upstash-Schedule-Id": "two" }, `${stand.target}/gone`);
    expect((await stand.call("GET", "/v2/schedules")).body).toMatchObject([
      { scheduleId: "one", destination: `${stand.target}/new` },
      { scheduleId: "two" },
    ]);
    expect((await stand.call("DELETE", "/v2/schedules/two")).status).toBe(200);
    await pass(2);
    expect(stand.paths()).toEqual(["/new", "/new"]);
    await stand.emulator.reset();
    await pass(2);
    expect(stand.received).toHaveLength(2);
    expect((await stand.call("GET", "/v2/schedules")).body).toEqual([]);
  });

  test("sends to the endpoints that its URL Group has at the moment", async () => {
    stand.emulator.putUrlGroup("g", [{ url: `${stand.target}/1` }]);
    const id = await created("* * * * *", {}, "g");
    stand.emulator.putUrlGroup("g", [{ url: `${stand.target}/1` }, { url: `${stand.target}/2` }]);
    await pass(1);
    expect(stand.paths()).toEqual(["/1", "/2"]);
    await stand.call("DELETE", "/v2/topics/g");
    await pass(1);
    expect(stand.emulator.journal.entries("scheduled").at(-1)).toMatchObject({
      messageIds: [],
      error: expect.stringContaining("neither an http(s) URL nor a URL Group"),
    });
    expect(await shown(id)).toMatchObject({ lastScheduleStates: {} });
  });

  test("may have a queue and a delay", async () => {
    const id = await created("* * * * *", { "Upstash-Queue-Name": "q", "Upstash-Delay": "90s" });
    expect(await shown(id)).toMatchObject({ queueName: "q", delay: 90 });
    stand.emulator.clock.advance(minuteMs);
    expect((await stand.call("GET", "/v2/queues/q")).body).toMatchObject({ lag: 1 });
    expect(stand.received).toEqual([]);
    await stand.call("DELETE", `/v2/schedules/${id}`);
    await pass(2);
    expect(stand.received).toHaveLength(1);
  });

  test("keeps to the zone before its cron", async () => {
    const id = await created("CRON_TZ=America/New_York  0 12 * * *");
    expect(await shown(id)).toMatchObject({
      cron: "CRON_TZ=America/New_York  0 12 * * *",
      nextScheduleTime: Date.UTC(2024, 0, 1, 17),
    });
  });

  test("fires for some of many moments that the clock jumps over, and goes on with those to come", async () => {
    await created("* * * * *");
    stand.emulator.clock.advance(7 * 24 * 60 * minuteMs);
    await expect.poll(() => stand.emulator.journal.entries("scheduled").length).toBe(101);
    await pass(1);
    expect(stand.emulator.journal.entries("scheduled")).toHaveLength(102);
  });
});

test.each([
  ["", {}],
  ["* * * *", {}],
  ["* * * * * *", {}],
  ["H * * * *", {}],
  ["61 * * * *", {}],
  ["0 0 30 2 *", {}],
  ["CRON_TZ=Nowhere/City * * * * *", {}],
  ["* * * * *", { "Upstash-Schedule-Id": "a/b" }],
  ["* * * * *", { "Upstash-Delay": "soon" }],
])("the cron %j with %j is refused and makes nothing", async (cron, headers) => {
  expect((await create(cron, headers)).status).toBe(400);
  expect((await create(cron, headers, "no-such-group")).status).toBe(400);
  expect((await stand.call("GET", "/v2/schedules")).body).toEqual([]);
});

test.each([
  ["GET", "/v2/schedules/none"],
  ["DELETE", "/v2/schedules/none"],
  ["PATCH", "/v2/schedules/none/pause"],
  ["POST", "/v2/schedules/none/resume"],
])("%s %s is not found", async (method, path) => {
  expect((await stand.call(method, path)).status).toBe(404);
});
