import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { EmulatorClock } from "../../../emulator/clock.ts";
import { createStand, type Stand } from "../../../../test/support/delivery-stand.ts";

const now = 1_700_000_000_000;
const standingClock = { now: () => now };
const inSeconds = (seconds: number): number => now / 1_000 + seconds;
const ladder = Math.exp(2.5) * 1_000;

/** Publishes a message whose first attempt fails with these headers; resolves to the wait before the next. */
async function waitAfter(
  headers: Record<string, string | string[]>,
  more: { retryScale?: number; settings?: Record<string, string>; status?: number } = {},
): Promise<number> {
  const stand = await createStand({ clock: standingClock, retryScale: more.retryScale ?? 1 });
  stand.answer = () => ({ status: more.status ?? 503, headers });
  const [messageId] = stand.publish([{ destination: stand.url, headers: more.settings ?? {} }]);
  return untilNextAttempt(stand, messageId!);
}

async function untilNextAttempt(stand: Stand, messageId: string): Promise<number> {
  const waiting = () => stand.core.deliveries.find(messageId)?.nextAttemptAt;
  await expect.poll(waiting, { interval: 5 }).toBeTypeOf("number");
  return waiting()! - stand.core.clock.now();
}

describe("a receiver that says when to come again is heard instead of the ladder", () => {
  test.each([
    ["seconds", { "Retry-After": "30" }, 30_000],
    ["a fraction of a second", { "Retry-After": "1.5" }, 1_500],
    ["an HTTP date", { "Retry-After": new Date(now + 90_000).toUTCString() }, 90_000],
    ["a Go duration", { "Retry-After": "6m5s" }, 365_000],
    ["a Go duration with small units", { "X-RateLimit-Reset-Tokens": "1h0.5s20ms3us" }, 3_600_520.003],
    ["a unix timestamp", { "X-RateLimit-Reset": String(inSeconds(45)) }, 45_000],
    ["a unix timestamp in milliseconds", { "X-RateLimit-Reset": String(now + 1_234) }, 1_234],
    ["the reset of requests", { "X-RateLimit-Reset-Requests": "12ms" }, 12],
    ["the reset of tokens", { "x-ratelimit-reset-tokens": "6m0s" }, 360_000],
    ["one day", { "Retry-After": "86400" }, 86_400_000],
    ["the first of several that has a meaning", { "Retry-After": "soon", "X-RateLimit-Reset": "7" }, 7_000],
    ["Retry-After before the others", { "X-RateLimit-Reset": "7", "Retry-After": "8" }, 8_000],
  ] as [string, Record<string, string>, number][])("%s", async (_, headers, waitMs) => {
    expect(await waitAfter(headers)).toBeCloseTo(waitMs, 0);
  });

  test("times the scale of all waits", async () => {
    expect(await waitAfter({ "Retry-After": "100" }, { retryScale: 0.5 })).toBe(50_000);
  });

  test("before the message's own retry delay", async () => {
    const settings = { "Upstash-Retry-Delay": "5000" };
    expect(await waitAfter({ "Retry-After": "20" }, { settings })).toBe(20_000);
    expect(await waitAfter({}, { settings })).toBe(5_000);
  });

  test("in any failed answer", async () => {
    expect(await waitAfter({ "Retry-After": "20" }, { status: 301 })).toBe(20_000);
  });

  test.each([
    "",
    "soon",
    "-5",
    "1e3",
    "NaN",
    "0x10",
    "5 s",
    "6m5",
    "Mon",
    "Infinity",
    "86401",
    "24h1s",
    "99999999999999999999",
  ])("but not where it says %j", async (value) => {
    expect(await waitAfter({ "Retry-After": value })).toBeCloseTo(ladder, 0);
  });

  test.each([
    ["zero", "0"],
    ["a moment that has passed", new Date(now - 5_000).toUTCString()],
  ])("%s means at once", async (_, value) => {
    const stand = await createStand({ clock: standingClock, retryScale: 1 });
    stand.answer = ({ headers }) =>
      headers["upstash-retried"] === "0"
        ? { status: 429, headers: { "Retry-After": value } }
        : { status: 200 };
    stand.publish([{ destination: stand.url }]);
    await stand.core.deliveries.idle();
    expect(stand.calls).toHaveLength(2);
  });
});

describe("a timeout", () => {
  test.each(["never answers", "never ends its answer"])(
    "counts as a failed attempt with status 0 where a receiver %s",
    async (kind) => {
      const silent = createServer((_request, response) => {
        if (kind === "never ends its answer") response.writeHead(200).write("the beginning");
      });
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => {
        silent.closeAllConnections();
        silent.close();
      });
      const stand = await createStand({ missingStatus: "zero" });
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
      stand.publish([{ destination: url, headers: { "Upstash-Timeout": "1s", "Upstash-Retries": "0" } }]);
      await stand.core.deliveries.idle();
      expect(stand.core.journal.entries("delivery")).toEqual([
        expect.objectContaining({ status: 0, outcome: "failed", error: "no answer within 1000 ms" }),
      ]);
      expect(stand.deadLetters()).toEqual([expect.objectContaining({ responseStatus: 0, responseBody: "" })]);
    },
  );

  test("of a month does not fire at once", async () => {
    const stand = await createStand();
    stand.answer = () => new Promise((resolve) => setTimeout(() => resolve({ status: 200 }), 50));
    stand.publish([{ destination: stand.url, headers: { "Upstash-Timeout": "30d" } }]);
    await stand.core.deliveries.idle();
    expect(stand.core.journal.counts()).toMatchObject({ delivered: 1, failedAttempts: 0 });
  });
});

describe("a clock that jumps by days", () => {
  test("leaves room for others while thousands of messages become due and fail", async () => {
    const stand = await createStand({ retryScale: 1, maxInFlight: 16 });
    const headers = { "Upstash-Delay": "7d", "Upstash-Retries": "0" };
    stand.publish(Array.from({ length: 5_000 }, () => ({ destination: "https://example.com/", headers })));
    let seen = 0;
    let mostInOneTurn = 0;
    const look = (): void => {
      const { failedAttempts } = stand.core.journal.counts();
      mostInOneTurn = Math.max(mostInOneTurn, failedAttempts - seen);
      seen = failedAttempts;
      if (seen < 5_000) setImmediate(look);
    };
    stand.core.clock.advance(7 * 86_400_000);
    look();
    await stand.core.deliveries.idle();
    await expect.poll(() => seen).toBe(5_000);
    expect(mostInOneTurn).toBeLessThanOrEqual(32);
  });

  test("makes what is due happen in order of its moment, over many slices", async () => {
    const clock = new EmulatorClock(standingClock);
    onTestFinished(() => clock.clear());
    const ran: number[] = [];
    const moments = Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 5_000);
    const called = moments.map((moment) => clock.at(now + moment, () => ran.push(moment)));
    for (const [index, moment] of moments.entries()) if (moment % 3 === 0) called[index]!();
    clock.advance(5_000);
    expect(ran.length).toBeLessThan(1_000);
    const kept = moments.filter((moment) => moment % 3 !== 0).toSorted((a, b) => a - b);
    await expect.poll(() => ran.length).toBe(kept.length);
    expect(ran).toEqual(kept);
  });
});
