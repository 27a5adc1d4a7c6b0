import { expect, test } from "vitest";
import { OfNoDrainList } from "../../../../../src/people/console/parts/of-no-drain.tsx";
import { ofNoDrainScreen } from "../../../../../src/people/console/screens/of-no-drain.tsx";
import { toText } from "../../../../support/console-stand.ts";
import { drainOf } from "../../../../support/loaded-document.ts";
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
  expect(html).toContain('<a href="/of-no-drain/us/a1">');
  expect(html).toContain("404 no such contact");
  expect(html).toMatch(/2h ago.*in 2d22h/s);
  expect(html).toContain("3 more are of kinds that are not listed");
  expect(html).toContain("27 were sent again by a drain and came back");
  expect(html).not.toContain("<button");
  expect(await shown(27)).not.toContain("not listed");
  expect(await shown(27, () => false)).toBe("null");
});

async function page(changes: object): Promise<string> {
  const one = { ...kind, id: "ff44600627", count: 27, since: now - 2 * hourMs, expiresAt: now, ...changes };
  const model = { of: { source: "us", at: now }, kind: one };
  return String(await ofNoDrainScreen.sections[0]!.render(model, { now } as never));
}

test("its page has a sample, and a drain that would list it", async () => {
  const html = await page({ sample: "1700000000000-1" });
  expect(html).toContain('<a href="/messages/us/1700000000000-1">');
  for (const status of [404, null]) {
    const [, drain = ""] = /<code>(.*)<\/code>/s.exec(toText(await page({ status }))) ?? [];
    const { select, rules, mode } = drainOf(
      `version: 1\nsources: { us: {} }\ndrains:\n${drain}\n`,
      "kind-ff44600627",
    );
    expect([select, mode, rules[0]?.then]).toEqual([{ responseStatus: [status ?? 0] }, "plan", "republish"]);
  }
  expect(await page({ id: "unreadable", origin: "(unreadable)" })).not.toContain("<code>");
});
