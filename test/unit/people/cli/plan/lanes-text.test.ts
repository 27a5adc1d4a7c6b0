import { describe, expect, it } from "vitest";
import { toLanesText } from "../../../../../src/people/cli/plan/lanes-text.ts";
import { laneOf } from "../../../../support/lane-wait.ts";

describe("what waits for lanes", () => {
  it("is told by destination, with why and when it goes on", () => {
    const text = toLanesText(80, 2, {
      watchMs: 60_000,
      lanes: [
        laneOf({ state: "halted", why: "3 of 5 failed again, 503", due: 90, nextInMs: 240_000 }),
        laneOf({ origin: "https://b.example.com", state: "halted", due: 3, sent: 1, nextInMs: 40_000 }),
        laneOf({ origin: "queue:invoices", state: "ramping", due: 20, sent: 50, nextInMs: 300 }),
        laneOf({ origin: "https://c.example.com", state: "canary", due: 4, sinceMs: null }),
        laneOf({ origin: "https://d.example.com", state: "open", due: 2 }),
      ],
      more: { lanes: 14, due: 200 },
    });
    expect(text).toMatchInlineSnapshot(`
      "  90 wait for lane a.example.com: halted for 3m, 3 of 5 failed again, 503,
        next probe in 4m
        3 wait for lane b.example.com: halted for 3m, a probe is out, result in 40s
        20 wait for lane queue:invoices: ramping for 3m, next step in 1s
        4 wait for lane c.example.com: new, next step now
        2 due to lane d.example.com: open for 3m
        200 wait for 14 more lanes
      "
    `);
  });
});
