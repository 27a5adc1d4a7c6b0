import { expect, test } from "vitest";
import { ExpiringFirst } from "../../../../../src/people/console/parts/expiring.tsx";

const now = Date.UTC(2026, 10, 20, 10, 15);

test("a kind that expires has its whole text, and what no rule sends leads to the kind's page", async () => {
  const text = "java.lang.NullPointerException at com.example.pricing.RateTable.lookup(RateTable.java:214)";
  const group = {
    failure: "8648802510",
    origin: "https://pay.example.com",
    earliestAt: now + 3_600_000,
    count: 9,
    inFirstHour: 2,
    copied: null,
    drains: ["orders"],
    source: "eu",
    saves: [
      { act: "rule", command: null },
      { act: "release", command: "redriver parked release --failure 8648802510 --reason ..." },
    ],
  };
  const status = {
    expiring: { groups: [group], by: now + 86_400_000 },
    sources: [{ failures: [{ id: group.failure, status: 500, text }] }],
  };
  const html = String(await ExpiringFirst({ status: status as never, now }));
  expect(html).toContain(`500 ${text}`);
  expect(html).toContain("2 before 12:00 UTC");
  expect(html).toContain('<a href="/failures/8648802510">no rule sends these: add one</a>');
  expect(html).toContain('<a href="/parked?source=eu&amp;failure=8648802510">release what is parked</a>');
  expect(html).not.toContain("<code>");
});
