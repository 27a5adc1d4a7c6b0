import { expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { runListingChecks } from "../../../../src/job/lanes/listing-checks.ts";
import { createConsoleStand, toText, type ConsoleStand } from "../../../support/console-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const drain = `
    minAge: 0s
    lane: { canary: 5, watch: 2s, haltAt: 20%, probeEvery: 1h }
    attempts: { max: 3, wait: [1s], then: park }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

/** The lane of the receiver is halted, and one message of each other kind is parked. */
async function setUpHalted(probeEvery = "1h"): Promise<ConsoleStand> {
  const stand = await createConsoleStand({ redisUrl: redis.url(), drain: drain.replace("1h", probeEvery) });
  stand.receiver.answer = () => 503;
  stand.seed(12, { responseBody: "upstream is not there" });
  stand.seed(1, {
    responseStatus: 422,
    responseBody: "no such tenant",
    url: "https://shop.example.com/hook",
  });
  await stand.pass();
  await stand.emulator.idle();
  const acts = async (): Promise<readonly string[]> => {
    await stand.sweep();
    await stand.pass();
    return (await stand.audit()).map(({ act }) => act);
  };
  await expect.poll(acts, { timeout: 20_000 }).toContain("lane-halted");
  return stand;
}

it("now is empty if nothing is known, and says since when", async () => {
  const { page, pass } = await createConsoleStand({ redisUrl: redis.url(), drain });
  await pass();
  const html = await page("/");
  // No replica gives signs of life here.
  expect(html).toMatch(
    /<div class="verdict bad"><p role="status"><bdi>Not running: no replica; nothing known waits: not all was listed since [^<]+ UTC\.<\/bdi>/,
  );
  expect(html).toContain('<p class="empty">Nothing known waits: not all was listed since ');
  expect(html).toContain("staging");
  expect(await page("/failures")).toContain("No known kind of failure waits or is parked");
});

it("shows now, failures and one failure with its lane, its rule, its sample and what happened", async () => {
  const stand = await setUpHalted();
  const { page, receiver } = stand;
  const now = await page("/");
  const host = new URL(receiver.url).host;
  expect(now).toContain(`<bdi>Receiver ${host} answers 503 upstream is not there</bdi>`);
  expect(now).toMatch(/12 wait \(7 with this answer\), halted for \d+s: 5 of 5 failed again, 503</);
  // What a person does first stands there as one form, with what it does, and what comes without it.
  expect(now.split('id="needs"')[1]?.split("<section")[0]).toMatch(
    /Probe it now.*action="\/acts\/lanes-probe".*A probe sends one message.*Its owner can mend it. Redriver probes by itself in/s,
  );
  // The brake has its place in the header, beside the clock.
  expect(now.split("<main")[0]).toMatch(/as of \d\d:\d\d:\d\d UTC.*<summary>Pause all drains</s);
  expect(now).toContain(`href="/failures?host=${encodeURIComponent(receiver.url)}&amp;drain=main"`);
  // What a pass has not listed yet is in no number, and each says so.
  const enteredBy = "entered by \\d\\d:\\d\\d:\\d\\d UTC";
  expect(now).toMatch(new RegExp(`waiting</span></a><span class="hint">${enteredBy}, the first [^<]+ UTC<`));
  // A canary that the service took has an answer: its delivery is what the lane watches.
  expect(now).toMatch(/Unproven: sent, and the service has not answered\s+whether it took it/);
  // As the chart has them: what the first count found has not arrived since it began.
  expect(now).toMatch(/of-arrived"><strong[^>]*>[–0]<\/strong>/);

  const list = await page("/failures");
  const [first, second] = await Promise.all(["upstream is not there", "no such tenant"].map(stand.kindOf));
  expect(list.indexOf(receiver.url)).toBeLessThan(list.indexOf("https://shop.example.com"));
  expect(list).toContain("503 upstream is not there");
  expect(list).toMatch(new RegExp(`Counted is what ${enteredBy}\\.`));
  expect(list).toContain('<span class="new">new</span>');
  expect(list).toMatch(/aria-label="12 arrived in 7 days, at most \d+ in 3 h"/);

  const failure = await page(`/failures/${first}`);
  expect(failure).toMatch(/<h1><bdi>503 upstream is not there<\/bdi> <small>from <bdi>/);
  expect(failure).toMatch(/<span class="bad" title="[^"]+">halted<\/span>/);
  expect(failure).toMatch(/\d of 5 failed again, 503/);
  expect(failure).toContain("lane-halted");
  for (const name of ["waiting", "failed again", "arrived"])
    expect(failure).toMatch(new RegExp(`</strong> ${name}<span class="hint">${enteredBy}`));
  expect(failure).toMatch(/main \(live\)<\/td>.*republish<\/td>.*outage/s);
  expect(failure).toMatch(/href="\/messages\/default\/\d+-\d+"/);
  expect(failure).toContain(`redriver plan --keep main --failure ${first}<`);
  expect(failure).not.toContain(">Try five");
  expect(failure).toContain("Five at once cannot be tried: a halt holds them");
  const parked = await page(`/failures/${second}`);
  expect(parked).toContain("None of these is in the audit.");
  const link = `/parked?source=default&failure=${second}`;
  expect(parked).toContain(`href="${link.replace("&", "&amp;")}"`);
  const rowsOf = async (path: string) => (await page(path)).match(/href="\/messages\//g)?.length ?? 0;
  expect(await rowsOf(link)).toBe(1);
  expect(await rowsOf("/parked?failure=0123456789")).toBe(0);
  expect(await page("/parked?failure=0123456789")).toContain("Nothing parked fits these filters.");
  expect(parked).toMatch(/park<\/td>.*broken.*<bdi>responseStatus is 422<\/bdi>/s);
  expect(failure).toContain("<bdi>responseStatus is 503</bdi>");
  // As a browser sends filters that were left empty.
  const { core } = stand;
  await core.drains
    .values()
    .next()
    .value!.source.ledger.release([idOfParked(await page("/parked"))]);
  expect(await page("/parked?drain=&reason=&failure=")).toContain("Nothing is parked.");
  expect((await stand.get("/failures/0123456789")).status).toBe(404);
});

function idOfParked(html: string): DlqId {
  return (/href="\/messages\/[^/]+\/(\d+-\d+)"/.exec(html)?.[1] ?? "") as DlqId;
}

it("a failure shows the probes that its lane makes by itself, and no canary of before it halted", async () => {
  const stand = await setUpHalted("2s");
  const id = await stand.kindOf("upstream");
  const { config, source } = stand.drain;
  const probes = async () => {
    await stand.sweep();
    await runListingChecks(source, new AbortController().signal);
    await source.passes.forceFull(config.name);
    await stand.pass();
    const html = (await stand.page(`/failures/${id}`)).split('id="time-line"')[1] ?? "";
    const rows = html.matchAll(/<td[^>]*>probe sent<\/td>.*?<bdi>(\d+-\d+)<\/bdi><\/a>(.*?)<\/td>/gs);
    return [...rows].map(([, dlqId = "", result = ""]) => ({ dlqId, result }));
  };
  await expect.poll(async () => (await probes()).length, { timeout: 30_000 }).toBeGreaterThan(0);
  const shown = await probes();
  const acts = await stand.audit();
  const haltedAt = acts.findIndex(({ act }) => act === "lane-halted");
  const sent = acts
    .slice(haltedAt)
    .filter(({ act }) => act === "republish")
    .flatMap(({ records }) => records.map(({ dlqId }) => dlqId));
  expect(shown.every(({ dlqId }) => sent.includes(dlqId))).toBe(true);
  expect(acts.slice(0, haltedAt).some(({ act }) => act === "republish")).toBe(true);

  // The lane says what the newest one showed, and its next move shows what it was worth.
  const newest = async () => (await probes())[0]?.result ?? "";
  await expect.poll(newest, { timeout: 20_000 }).toContain(": <bdi>a probe failed again, 503</bdi>");
  expect(await stand.page(`/failures/${id}`)).toMatch(/last probe <time datetime="/);

  stand.receiver.answer = () => 200;
  await expect
    .poll(newest, { timeout: 40_000 })
    .toMatch(/: <bdi>the probe did not fail again<\/bdi> <time datetime="/);
  // What those before got stays.
  const [, ...before] = await probes();
  expect(before.length).toBeGreaterThan(0);
  for (const { result } of before) expect(result).toMatch(/came back as|a probe failed again/);
}, 90_000);

it("filters by host, origin, drain, text, and shows what nobody has met for a day only if asked", async () => {
  const { page, seed, pass, get, advance } = await createConsoleStand({ redisUrl: redis.url(), drain });
  seed(1, { responseStatus: 422, url: "https://pay.example.com/a", responseBody: "no such tenant" });
  seed(1, { responseStatus: 422, url: "https://shop.example.com:8443/a", responseBody: "card expired" });
  seed(1, { responseStatus: 418, url: "https://tea.example.com/a", responseBody: "teapot" });
  await pass();
  const ask = async (query: string) => {
    // Without the acts, which name what the filter found.
    const list = (await page(`/failures${query}`)).split('id="destinations"')[0] ?? "";
    return ["pay", "shop", "tea"].filter((name) => list.includes(`<bdi>https://${name}.example.com`));
  };
  expect(await ask("")).toEqual(["pay", "shop", "tea"]);
  expect(await ask("?host=pay.example.com")).toEqual(["pay"]);
  expect(await ask("?host=https%3A%2F%2Fshop.example.com%3A8443")).toEqual(["shop"]);
  expect(await ask("?host=*.example.com&text=CARD")).toEqual(["shop"]);
  expect(await ask("?drain=main&text=tenant")).toEqual(["pay"]);
  expect(await ask("?host=nobody.example.com")).toEqual([]);
  expect((await get("/failures?drain=nothing")).status).toBe(400);
  expect((await get("/failures?page=-1&text=%00")).status).toBe(200);
  advance(25 * 3_600_000);
  // Parked and waiting ones stay.
  expect(await ask("?all=yes")).toHaveLength(3);
});

it("says before a release what would keep it from going", async () => {
  const stand = await setUpHalted();
  const { page, act, core } = stand;
  stand.seed(1, { responseStatus: 422, responseBody: "bad tenant" });
  await stand.drain.source.passes.forceFull(stand.drain.config.name);
  await stand.pass();
  const host = new URL(stand.receiver.url).host;
  const once =
    "The rules still park it. A release sends it once all the same; if it fails again, it is parked again.";
  const halted = `Any of them that goes to ${host} waits: it still fails, and its lane is halted.`;
  const parked = await page("/parked");
  expect(parked).toContain(once);
  expect(parked).toContain(halted);
  // Of one dead letter only what is about it.
  const letters = [...parked.matchAll(/href="(\/messages\/default\/\d+-\d+)"/g)].map(([, path = ""]) => path);
  const pages = await Promise.all(letters.map(page));
  const own = pages.find((html) => html.includes("bad tenant")) ?? "";
  const other = pages.find((html) => html.includes("no such tenant")) ?? "";
  expect(own).toContain(halted);
  expect(other).not.toContain(halted);
  expect(other).toContain(once);

  const id = await stand.kindOf("no such tenant");
  await act("/", "pause", { failure: id, reason: "they move" });
  expect(await page("/parked")).toContain(
    `Any of them that belongs to failure ${id} waits: a person paused it.`,
  );
  await act("/", "pause", { drains: "main", reason: "they move" });
  expect(await page("/parked")).toContain("Nothing is sent yet: main is paused.");
  expect(core.drains.size).toBe(1);
});

it("draws no button for a kind that rules hold, and suggests a rule of that kind alone", async () => {
  const { seed, page, pass, kindOf, receiver } = await createConsoleStand({ redisUrl: redis.url(), drain });
  seed(2, { responseStatus: 410, responseBody: "the account is closed" });
  seed(2, { responseStatus: 404, responseBody: "no such contact" });
  seed(1, { responseStatus: 404, responseBody: "the route is unknown" });
  await pass();
  const pageOf = async (text: string): Promise<string> =>
    (await page(`/failures/${await kindOf(text)}`)).replaceAll("&quot;", '"');
  const alone = await pageOf("the account is closed");
  expect(alone).not.toMatch(/Plan all|Try five/);
  expect(alone).toContain("Its rules hold it, so no plan sends it: only a rule that republishes it does.");
  const { host } = new URL(receiver.url);
  const there = (await page(`/failures?host=${host}`)).split('id="destinations"')[1] ?? "";
  expect(there).toContain("rules hold all that waits there");
  expect(there).not.toContain("next step");
  const when = `{ host: "${host}", responseStatus: 410 }`;
  expect(alone).toContain(`- { name: send-again, when: ${when}, then: republish }`);
  expect(alone).toContain(`- { name: given-up, when: ${when}, then: park }`);
  // A rule for host and status would take both.
  const alike = await pageOf("no such contact");
  expect(alike).toContain("would also take 1 other kind");
  expect(alike).not.toMatch(/send-again|given-up/);
});

it("says what several drains count as parked, and releases what one of them has parked", async () => {
  const rules = `minAge: 0s, rules: [{ name: gone, when: { responseStatus: 410 }, then: park }]`;
  const { seed, page, pass, passOf } = await createConsoleStand({
    redisUrl: redis.url(),
    drain: `    minAge: 0s\n    rules: [{ name: gone, when: { responseStatus: 410 }, then: park }]\n  money: { mode: live, select: { topicName: money }, ${rules} }\n`,
  });
  seed(3, { responseStatus: 410 });
  seed(2, { responseStatus: 410, topicName: "money" });
  await pass();
  await passOf("money");
  const html = await page("/parked");
  expect(html).toContain("In default, 2 stand in several drains, which list them.");
  expect(html).toContain("Release what main has parked");
  expect(html).not.toContain("Release all");
});

it("plans a kind by the drains that list it, and by no other", async () => {
  const rules = "minAge: 0s, rules: [{ name: all, when: any, then: republish }]";
  const of = (topic: string): string => `{ mode: plan, ${rules}, select: { topicName: ${topic} } }`;
  const { seed, page, pass, passOf, kindOf, act, core } = await createConsoleStand({
    redisUrl: redis.url(),
    mode: "plan",
    drain: `    minAge: 0s\n    rules: [{ name: all, when: any, then: republish }]\n    select: { topicName: [mail, money, held] }\n  money: ${of("money")}\n  other: ${of("else")}\n  quiet: { mode: live, minAge: 0s, rules: [{ name: all, when: any, then: hold }], select: { topicName: held } }\narchive: { dir: /tmp/unused, keep: 30d, volume: ephemeral }\n`,
  });
  seed(2, { responseStatus: 410, topicName: "money" });
  seed(1, { responseStatus: 410, topicName: "mail" });
  seed(1, { responseStatus: 409, topicName: "else" });
  const [letter = ""] = seed(1, { responseStatus: 408, topicName: "held" });
  for (const name of ["money", "other"]) await passOf(name);
  await pass();
  const id = await kindOf("410");
  const html = await page(`/failures/${id}`);
  expect(html).toContain(`redriver plan --keep main money --failure ${id}<`);
  expect(html).toContain(`redriver plan --keep main --failure ${id} --limit 5<`);
  expect(html).toContain('<option value="main money" selected="">each that lists it: main, money</option>');
  expect(html).toContain(`redriver plan --keep main money --failure ${id} --discard`);
  const plans = await page(`/plans?drain=main+money&failure=${id}`);
  expect(plans).toContain('<option value="main money" selected="">main, money</option>');
  await act("/plans", "plan-keep", { drains: "main money", failure: id, discard: "true" });
  expect((await core.plans.all()).map(({ drains }) => drains)).toEqual([["main", "money"]]);
  // The page of one content has each drain that lists it.
  const drains =
    (await page(`/messages/default/${letter}`)).split('id="drains"')[1]?.split("</table>")[0] ?? "";
  expect(toText(drains.replaceAll(/<[^>]+>/g, " ")).replaceAll(/\s+/g, " ")).toContain(
    'main only plans: an apply of a plan would send it republish: due (rule "all") quiet holds it hold: rule (rule "all")',
  );
});
