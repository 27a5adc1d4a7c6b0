import { expect, it } from "vitest";
import { screens } from "../../../../src/people/console/screens/screens.ts";
import { createConsoleStand, formTokenOf, type ConsoleStand } from "../../../support/console-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const base = "/tools/redriver";

const drain = `
    minAge: 0s
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: wait, when: { responseStatus: 503 }, then: hold }
`;
const strangers = `<a href="/of-a-stranger" src="/of-a-stranger">`;

/** A console with something parked, something that waits, and a plan; and a path of each screen. */
async function setUp() {
  const stand = await createConsoleStand(
    { redisUrl: redis.url(), drain },
    { "console.role": "admin", "console.basePath": base },
  );
  stand.seed(3, { url: "https://pay.example.com/hook", responseBody: strangers });
  const [parked = ""] = stand.seed(2, { responseStatus: 422, responseBody: strangers });
  await stand.pass();
  const failure = `/failures/${await stand.kindOf("pay")}`;
  const formToken = formTokenOf(await stand.page("/plans"));
  const made = await stand.send("plan-keep", { formToken, by: "ann", reason: "to see", back: "/plans" });
  const plan = (made.headers.get("location") ?? "").replace(base, "");
  const known: Readonly<Record<string, string>> = {
    "/failures/:id": failure,
    "/plans/:id": plan,
    "/messages/:source/:dlqId": `/messages/default/${parked}`,
    "/runbooks/:alert": "/runbooks/RedriverBacklogHalted",
  };
  // Here is no kind of no drain.
  const shown = screens.filter(({ path }) => path !== "/of-no-drain/:source/:id");
  const paths = shown.map(({ path }) => known[path] ?? path);
  expect(paths.join()).not.toContain(":");
  const more = ["/failures?all=yes", "/parked?reason=rule", "/history?act=park", "/no-such-page"];
  return { ...stand, formToken, made, failure, plan, parked, paths: [...paths, ...more] };
}

/** Every address that HTML names, but those within its page. */
function addressesOf(html: string): readonly string[] {
  const named = html.matchAll(/<[a-z][^>]* (?:href|src|srcset|action|formaction|data-live)="([^"#][^"]*)"/g);
  return [...named].map(([, address = ""]) => address);
}

const outside = (addresses: readonly string[]) =>
  addresses.filter((address) => !address.startsWith(`${base}/`));

/** The first sections that the stream sends, as HTML. */
async function firstSections({ get }: Pick<ConsoleStand, "get">, livePath: string): Promise<string> {
  const answer = await get(livePath);
  expect({ livePath, status: answer.status }).toEqual({ livePath, status: 200 });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let data: string | undefined;
  while (data === undefined) {
    const part = await reader.read();
    if (part.done) throw new Error(`the stream ended: ${text}`);
    text += part.value;
    data = /event: sections\ndata: (.*)\n\n/.exec(text)?.[1];
  }
  await reader.cancel();
  return Object.values(JSON.parse(data) as Record<string, string>).join("");
}

it("every address that a screen and its stream name is below the base, whether a proxy strips it or not", async () => {
  const stand = await setUp();
  const { get, paths } = stand;
  const livePaths = new Set<string>();
  const assets = new Set<string>();
  for (const path of paths) {
    for (const asked of [path, `${base}${path}`]) {
      const answer = await get(asked, { referer: `${stand.url}${base}/plans` });
      expect({ asked, status: answer.status }).toEqual({
        asked,
        status: path === "/no-such-page" ? 404 : 200,
      });
      const html = await answer.text();
      const addresses = addressesOf(html);
      expect(addresses.length).toBeGreaterThan(8);
      expect({ asked, outside: outside(addresses) }).toEqual({ asked, outside: [] });
      // Nothing has it twice, and what strangers wrote is as they wrote it.
      expect(html).not.toContain(`${base}${base}`);
      expect(html).not.toContain(`${base}/of-a-stranger`);
      for (const address of addresses) if (address.includes("/assets/")) assets.add(address);
      const livePath = /<body data-live="([^"]+)"/.exec(html)?.[1];
      if (livePath !== undefined) livePaths.add(livePath);
    }
  }
  expect(livePaths.size).toBeGreaterThan(4);
  const streamed = await Promise.all([...livePaths].map((path) => firstSections(stand, path)));
  for (const sections of streamed) {
    expect(outside(addressesOf(sections))).toEqual([]);
    expect(sections).not.toContain(`${base}/of-a-stranger`);
  }
  expect(addressesOf(streamed.join("")).length).toBeGreaterThan(8);
  expect((await get(base)).status).toBe(200);
  expect((await get(`${base}ish/failures`)).status).toBe(404);
  expect(assets).toContain(`${base}/assets/console.js`);
  for (const path of assets) expect((await get(path)).status).toBe(200);
}, 60_000);

it("acts, plans of the API, cookies and the API's own description lead below it", async () => {
  const { get, url, formToken, made, plan, failure } = await setUp();
  expect([made.status, made.headers.get("location")]).toEqual([303, `${base}${plan}`]);
  for (const cookie of made.headers.getSetCookie()) expect(cookie).toContain(`; Path=${base};`);

  const post = (path: string, headers: Readonly<Record<string, string>>, body: string | URLSearchParams) =>
    fetch(`${url}${path}`, { method: "POST", redirect: "manual", headers, body });
  const back = `${failure}?source=default`;
  const pause = (origin: string) =>
    post(
      `${base}/acts/pause`,
      { origin },
      new URLSearchParams({
        formToken,
        by: "ann",
        reason: "to see",
        drains: "main",
        back,
      }),
    );
  const paused = await pause(url);
  expect([paused.status, paused.headers.get("location")]).toEqual([303, `${base}${back}`]);

  const makePlan = () =>
    post(
      `${base}/api/v1/plans`,
      { "content-type": "application/json" },
      JSON.stringify({ all: true, by: "ann" }),
    );
  let planned = await makePlan();
  // The first plan may still be in the making.
  await expect
    .poll(async () => {
      if (planned.status !== 202) planned = await makePlan();
      return planned.status;
    })
    .toBe(202);
  const { results } = (await planned.json()) as { results: { id: string }[] };
  expect((await get(`${base}/api/v1/plans/${results[0]?.id}`)).status).toBe(200);
  const { servers } = (await (await get(`${base}/api/v1/openapi.json`)).json()) as { servers: unknown };
  expect(servers).toEqual([{ url: `${base}/api/v1` }]);

  // The checks are as strict below it.
  expect((await pause("https://evil.example")).status).toBe(403);
  for (const path of [`${base}/live`, `${base.replace("t", "%74")}/live`]) {
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await get(`${path}/`, headers)).status).toBe(403);
  }
  const refused = await get(`${base}/api/v1/no-such`);
  expect([refused.status, refused.headers.get("content-type")]).toEqual([404, "application/json"]);
});
