import { expect, test } from "vitest";
import type { ServiceLoad } from "../../../../src/job/contracts/service.ts";
import { toDeliveries } from "../../../../src/people/read/deliveries.ts";

const at = 1_800_000_000_000;
const minuteMs = 60_000;

interface Seen {
  readonly at: number;
  readonly unknown: number;
  readonly lastUsedAt: number;
  readonly reportedAt: number | null;
  readonly service: (ServiceLoad & { readonly at: number }) | null;
}

const idle: Seen = {
  at,
  unknown: 0,
  lastUsedAt: at - 2 * 60 * minuteMs,
  reportedAt: at - minuteMs,
  service: null,
};
const busy: Seen = { ...idle, lastUsedAt: at - 3 * minuteMs };
const callbacks = { callbacks: { url: "https://r.example", keys: [] } };
const watching = { watchDeliveries: true } as const;
const full = { count: 10, max: 10, at: at - minuteMs };

test.each<[string, Seen | null, Parameters<typeof toDeliveries>[1], string | null]>([
  ["without lanes nothing is known", null, {}, null],
  ["an hour without a canary: all is taken for delivered", idle, {}, "delivered"],
  ["within the hour, silence has told nothing yet", busy, {}, "unwatched"],
  ["with callbacks, two watches are enough", busy, callbacks, "delivered"],
  ["a canary of a minute ago is watched", { ...busy, lastUsedAt: at - minuteMs }, callbacks, "watched"],
  ["canaries that nobody reported", { ...idle, unknown: 5 }, callbacks, "behind"],
  ["no callback of a delivery yet", { ...idle, unknown: 5, reportedAt: null }, callbacks, "unreported"],
  ["none lately", { ...idle, unknown: 5, reportedAt: at - 15 * minuteMs }, callbacks, "unreported"],
  ["canaries of which no callback tells", { ...idle, unknown: 5, reportedAt: null }, watching, "behind"],
  ["the service said so", { ...idle, service: full }, watching, "behind"],
  ["it said so long ago", { ...idle, service: { ...full, at: at - 20 * minuteMs } }, watching, "delivered"],
  ["it keeps up", { ...busy, service: { ...full, count: 9 } }, watching, "delivered"],
  ["it does not say", { ...busy, service: { isAbsent: true, at } }, watching, "unwatched"],
])("%s", (_, lanes, source, standing) => {
  expect(toDeliveries(lanes, source, minuteMs)?.standing ?? null).toBe(standing);
});

test("how many wait is known of canaries alone", () => {
  expect(toDeliveries({ ...idle, unknown: 5 }, callbacks, minuteMs)?.undelivered).toBe(5);
  expect(toDeliveries({ ...idle, service: full }, watching, minuteMs)?.undelivered).toBeNull();
});
