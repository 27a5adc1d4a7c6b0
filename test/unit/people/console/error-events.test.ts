import { expect, it } from "vitest";
import { createErrorEvents } from "../../../../src/people/console/error-events.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { RedriverEvent } from "../../../../src/job/contracts/events.ts";

it("reports a failed page once a minute of each place and code, without a foreign error's text", () => {
  const emitted: RedriverEvent[] = [];
  let now = 0;
  const report = createErrorEvents({ emit: (event) => void emitted.push(event) }, () => now);
  const away = new RedriverError("redis-unavailable", "away");
  for (let times = 0; times < 100; times += 1) {
    report("GET /", new TypeError("secret of a record"));
    report("GET /", away);
    report("GET /failures", away);
    report("POST /acts/pause", new RedriverError("command-misused", "no such drain"));
  }
  expect(emitted.map((event) => ("place" in event ? [event.place, event.code] : []))).toEqual([
    ["GET /", "unexpected"],
    ["GET /", "redis-unavailable"],
    ["GET /failures", "redis-unavailable"],
  ]);
  expect(JSON.stringify(emitted)).not.toContain("secret");
  now = 60_000;
  report("GET /", away);
  expect(emitted).toHaveLength(4);
});
