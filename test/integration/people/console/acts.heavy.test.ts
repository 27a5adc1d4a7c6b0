import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import type { Status } from "../../../../src/people/operations/status/read.ts";
import { runHere } from "../../../support/cli.ts";
import { createEnv } from "../../../support/daemon.ts";
import {
  commandsOf,
  createConsoleStand,
  formTokenOf,
  type ConsoleStand,
} from "../../../support/console-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const drain = `
    minAge: 0s
    lane: { canary: 5, watch: 2s, haltAt: 20%, probeEvery: 1h }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
const shop = "https://shop.example.com";

/** One message waits for a lane that is new, and one of another host is parked. */
async function setUp(console?: Readonly<Record<string, unknown>>): Promise<ConsoleStand & { id: string }> {
  const stand = await createConsoleStand({ redisUrl: redis.url(), drain }, console);
  stand.seed(1, { responseStatus: 422, url: `${shop}/hook`, responseBody: "no such tenant" });
  await stand.pass();
  return { ...stand, id: await stand.kindOf("no such tenant") };
}

it("pauses and resumes a drain, all, a destination and a kind, and the pages show who and why", async () => {
  const { act, page, id } = await setUp();
  const reason = "they say it is back";
  expect(await act("/", "pause", { drains: "main", for: "2h", reason })).toMatch(/^main: paused until /);
  const now = await page("/");
  expect(now).toMatch(/paused<\/span> by <bdi>ann \(console\)<\/bdi>.*they say it is back/s);
  expect(now).toContain("Resume main");
  expect(now).not.toContain("Pause main");
  expect(await act("/", "resume", { drains: "main", reason })).toBe("main: resumed");
  expect(await act("/", "pause", { all: "yes", reason })).toBe("all drains of source default: paused");
  const held = await page("/failures");
  expect(held).toMatch(/All drains are.*paused<\/span> by <bdi>ann \(console\)<\/bdi>/s);
  expect([held.includes("Resume all drains"), held.includes("Pause all drains…")]).toEqual([true, false]);
  expect(await act("/", "resume", { all: "yes", reason })).toContain("resumed");
  // For which nothing waits yet.
  const host = "https://nobody.example.com";
  const pausedOn = async () => (await page("/")).split('id="paused"')[1]?.split('id="destinations"')[0] ?? "";
  await act("/", "pause", { host, reason });
  expect(await pausedOn()).toMatch(/nobody\.example\.com.*paused<\/span> by <bdi>ann.*they say it is back/s);
  expect(commandsOf(await pausedOn())).toEqual([`redriver resume --host ${host} --reason ...`]);
  expect(await act("/", "resume", { host, reason })).toContain("resumed");
  const path = `/failures/${id}`;
  expect(await act(path, "pause", { drains: "main", host: shop, reason })).toBe(`${shop} of main: paused`);
  expect(await page(path)).toContain("Resume the destination");
  expect(await act(path, "resume", { drains: "main", host: shop, reason })).toBe(`${shop} of main: resumed`);
  expect(await act(path, "pause", { failure: id, reason })).toContain(`failure:${id} of all drains`);
  expect(await page(path)).toContain("<dt>this kind</dt>");
  const paused = await pausedOn();
  expect(paused).toContain(`href="/failures/${id}?source=default"`);
  expect(paused).toMatch(
    /422 no such tenant.*paused<\/span> by <bdi>ann \(console\)<\/bdi>.*they say it is back/s,
  );
  expect(paused).toContain(`Resume failure ${id}`);
  expect(await page("/failures")).toMatch(new RegExp(`/failures/${id}"(?:(?!</tr>).)*paused</span> by`, "s"));
  expect(await act("/", "resume", { failure: id, reason })).toContain("resumed");
  expect(await page("/")).not.toContain("Paused by people");
  expect(await page("/failures")).not.toContain("paused</span> by");
});

it("notes and quiets a kind, and its page shows what people wrote", async () => {
  const stand = await setUp();
  const { act, page, id } = stand;
  const path = `/failures/${id}`;
  expect(await act(path, "failures-note", { id, text: "tenant moved", ticket: "OPS-7" })).toContain(
    `noted on failure ${id}`,
  );
  expect(await page(path)).toMatch(/OPS-7.*tenant moved.*ann \(console\)/s);
  expect(await page("/failures")).toContain("OPS-7");
  expect(await page("/failures")).not.toContain('class="new"');
  expect(await act(path, "failures-quiet", { id, until: "changed" })).toContain("quiet until it changes");
  expect(await page(path)).toContain("End the quiet");
  expect(await act(path, "failures-quiet", { id, until: "2999-01-01" })).toContain("2999-01-01");
  expect(await act(path, "failures-quiet", { id, off: "yes" })).toContain("no longer quiet");
  // What was there is removed.
  expect(await act(path, "failures-note", { id })).toContain("noted on");
  expect(await page(path)).not.toContain("<dt>note</dt>");
  expect(await act(path, "failures-acknowledge", { id, owner: "priya" })).toContain("priya works on failure");
  expect(await page(path)).toMatch(/<dt>state<\/dt>.*acknowledged: priya works on it since/s);
  expect(await page("/failures?state=acknowledged")).toContain("acknowledged: priya works on it since");
  expect(await page("/failures?state=open")).not.toContain(`/failures/${id}`);
  expect(await page("/")).toMatch(/id="destinations".*priya works on it since/s);
  const ofState = async (state: string): Promise<unknown> =>
    (await stand.get(`/api/v1/failures?state=${state}`)).json();
  const owner = { name: "priya", at: expect.any(Number) as number };
  expect(await ofState("acknowledged")).toMatchObject({ failures: [{ id, owner }], total: 1 });
  expect(await ofState("resolved")).toMatchObject({ failures: [], total: 0 });
  const { drains } = (await (await stand.get("/api/v1/status")).json()) as Pick<Status, "drains">;
  expect(drains[0]?.destinations).toMatchObject([{ owners: [owner] }]);
  expect(await act(path, "failures-acknowledge", { id, off: "yes" })).toContain("nobody works on failure");
  expect(await page("/")).not.toContain("priya");
  await expect(act(path, "failures-quiet", { id, until: "2001-01-01" })).rejects.toThrow("400");
  await expect(act(path, "failures-note", { id, text: "x".repeat(501) })).rejects.toThrow("400");
  await expect(act(path, "failures-note", { id: "0123456789", text: "x" })).rejects.toThrow("404");
});

it("every command line of a page is taken by the real commands", async () => {
  const stand = await setUp();
  const { emulator, core, page, id, seed, pass } = stand;
  seed(1, { responseStatus: 422, url: `${shop}/hook`, responseBody: "it's $(touch /tmp/x) `no`" });
  await pass();
  const document = `
version: 1
sources: { default: {} }
drains:
  main:
    mode: live
${drain.replaceAll(/^    /gm, "    ")}
`;
  const { keyPrefix } = core.settings.redis;
  const { env } = createEnv({ emulator, redisUrl: redis.url(), document, keyPrefix });
  const lines = new Set<string>();
  for (const path of ["/", `/failures?host=${shop}`, `/failures/${id}`]) {
    for (const line of commandsOf(await page(path))) lines.add(line);
  }
  expect(lines.size).toBeGreaterThan(5);
  for (const line of lines) {
    const words = execFileSync("bash", ["-c", `printf '%s\\0' ${line}`])
      .toString()
      .split("\0")
      .slice(1, -1);
    const { exitCode, err } = await runHere(words, env);
    expect({ line, exitCode, err: exitCode === 0 ? "" : err }).toEqual({ line, exitCode: 0, err: "" });
  }
});

async function isPausedIn(at: string, headers: Readonly<Record<string, string>> = {}): Promise<boolean> {
  return (await (await fetch(`${at}/`, { headers })).text()).includes("Resume main");
}

it("shows what was done at once: to who did it, in another replica, and by the API", async () => {
  const { url, page, send, serve } = await setUp();
  const other = await serve();
  expect([await isPausedIn(url), await isPausedIn(other.url)]).toEqual([false, false]);
  const formToken = formTokenOf(await page("/"));
  const answer = await send("pause", { formToken, by: "ann", drains: "main", reason: "wait" });
  const cookie = answer.headers.getSetCookie().map((one) => one.split(";")[0]);
  expect(await isPausedIn(other.url, { cookie: cookie.join("; ") })).toBe(true);
  expect(await isPausedIn(url)).toBe(true);
  const resume = (body: object) =>
    fetch(`${url}/api/v1/resumes`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ drains: ["main"], reason: "it is right", ...body }),
    });
  // A program says its name, since nobody else does.
  expect((await resume({})).status).toBe(400);
  expect((await resume({ by: "ann" })).status).toBe(200);
  expect(await isPausedIn(url)).toBe(false);
});

it("a form that cannot be meant leads back to its page, and to no page of somebody else", async () => {
  const { url, page, send } = await setUp();
  const formToken = formTokenOf(await page("/plans"));
  const refused = async (referer: string): Promise<string> => {
    const answer = await send("plan-keep", { formToken, by: "ann", reason: "x", limit: "few" }, { referer });
    expect(answer.status).toBe(400);
    return answer.text();
  };
  const own = await refused(`${url}/plans?host=a`);
  expect(own).toContain("Limit: expected a whole number, at least 1");
  expect(own).toContain('<a href="/plans?host=a">Back to the page before</a>');
  expect(await refused("http://evil.example/plans")).not.toContain("Back to the page before");
  expect(await refused("none")).not.toContain("Back to the page before");
});

it("remembers the name that a browser gave with an act, and no other", async () => {
  const stand = await setUp();
  const { page, get, send, audit } = stand;
  const formToken = formTokenOf(await page("/"));
  const cookiesOf = async (by: string): Promise<readonly string[]> => {
    const answer = await send("pause", { formToken, by, drains: "main", reason: "wait" });
    expect(answer.status).toBe(303);
    return answer.headers.getSetCookie().filter((cookie) => cookie.startsWith("redriver_name="));
  };
  const shownTo = async (cookie: string): Promise<string> => {
    const html = await (await get("/", { cookie })).text();
    return /name="by"[^>]*? value="([^"]*)"/.exec(html)?.[1] ?? "no field";
  };
  expect(await shownTo("")).toBe("");
  const [kept = ""] = await cookiesOf("Ann Ø");
  expect(kept).toMatch(/^redriver_name=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
  expect(await shownTo(kept.split(";")[0] ?? "")).toBe("Ann Ø");
  expect((await audit()).at(-1)?.by).toBe("Ann Ø (console)");

  // What cannot be seen is no name, and markup is a name as any other.
  expect((await send("pause", { formToken, by: "an\u202En", drains: "main", reason: "wait" })).status).toBe(
    400,
  );
  const [markup = ""] = await cookiesOf('"><script>alert(1)</script>');
  const cookie = markup.split(";")[0] ?? "";
  expect(await shownTo(cookie)).toBe("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(await (await get("/", { cookie })).text()).not.toContain("<script>alert");

  // Another page of this host can write a cookie, and cannot sign it.
  const [text = "", signature = ""] = (kept.split(";")[0] ?? "").split(".");
  const eve = Buffer.from("eve").toString("base64url");
  for (const hostile of [
    `redriver_name=${eve}.${signature}`,
    `${text}.`,
    "redriver_name=eve",
    'redriver_name="><script>alert(1)</script>',
    `redriver_name=${"x".repeat(8_000)}`,
  ]) {
    expect(await shownTo(hostile)).toBe("");
  }
});

it("takes no act without a reason, a name, or what it is about", async () => {
  const { send, page, audit } = await setUp();
  const before = (await audit()).length;
  const order = { formToken: formTokenOf(await page("/")), by: "ann", drains: "main", reason: "wait" };
  const wrong = [
    { reason: " " },
    { by: "" },
    { drains: "" },
    { drains: "nothing" },
    { for: "soon" },
    { host: "two words" },
  ];
  for (const one of wrong) {
    expect([one, (await send("pause", { ...order, ...one })).status]).toEqual([one, 400]);
  }
  expect(await audit()).toHaveLength(before);
});
