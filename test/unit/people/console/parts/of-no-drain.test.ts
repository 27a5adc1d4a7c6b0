import { expect, test } from "vitest";
import { OfNoDrainList } from "../../../../../src/people/console/parts/of-no-drain.tsx";
import { toOfNoDrain } from "../../../../../src/people/read/of-no-drain.ts";

const now = Date.UTC(2026, 10, 20, 10, 15);
const hourMs = 3_600_000;
const kind = { id: "a1", origin: "https://crm.example.com", status: 404, text: "no such contact" };
const core = { sources: new Map([["us", { runtime: { config: { retentionMs: 72 * hourMs } } }]]) };

async function shown(unselected: number, isOrigin = () => true): Promise<string> {
  const unselectedKinds = [{ ...kind, count: 27, since: now - 2 * hourMs }];
  const census = { at: now, unselected, strayComeBacks: { count: 27, top: [] }, unselectedKinds };
  const facts = { sources: [{ source: "us", census }] };
  const [givenCore, given] = [core, facts] as unknown as Parameters<typeof toOfNoDrain>;
  const ofNoDrain = toOfNoDrain(givenCore, given, isOrigin);
  return String(await OfNoDrainList({ ofNoDrain, now }));
}

test("what no drain selects is listed by kind, with its age, its first expiry and what works it", async () => {
  const html = await shown(30);
  expect(html).toContain("Of no drain: 27");
  expect(html).toContain("404 no such contact");
  expect(html).toMatch(/2h ago.*in 2d22h/s);
  expect(html).toContain("3 more are of kinds that are not listed");
  expect(html).toContain("27 were sent again by a drain and came back");
  expect(html).not.toContain("<button");
  expect(await shown(27)).not.toContain("not listed");
  expect(await shown(27, () => false)).toBe("null");
});
