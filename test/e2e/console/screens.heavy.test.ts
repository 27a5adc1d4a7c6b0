import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import {
  expectNoWiderThanScreen,
  findSeriousBarriers,
  hasBrowser,
  useBrowser,
} from "../../support/browser.ts";
import { startConsole } from "../../support/plain-console.ts";
import { useRedis } from "../../support/redis.ts";
import { serve } from "../../support/serve.ts";
import { sideBySide } from "../../support/side-by-side.ts";

const redis = useRedis();
// The name of another page that somebody points at the console.
const browser = useBrowser(["--host-resolver-rules=MAP evil.example 127.0.0.1"]);

const hostile = `<script>document.title="owned"</script><img src=x onerror="document.title='owned'">\u202Egnp.exe`;

async function setUp() {
  const at = Date.now() - 60 * 60_000;
  const to = "https://pay.example.com/hook";
  const letters = [
    { url: to, responseStatus: 503, responseBody: hostile, header: { "X-Note": [hostile] }, body: hostile },
    {
      url: `https://pay.example.com/${encodeURIComponent(hostile)}`,
      responseStatus: 422,
      responseBody: "no",
    },
    { url: to, responseStatus: 503, responseBody: "x".repeat(5_000_000) },
  ];
  const seed = letters.map((letter, index) => ({
    dlqId: `${at + index}-0`,
    createdAt: at - 5_000,
    maxRetries: 0,
    ...letter,
  }));
  const { url, emulator } = await startConsole(redis.url(), { CONSOLE_ROLE: "admin" }, seed);
  await expect
    .poll(async () => (await fetch(`${url}/failures`)).text(), { timeout: 20_000 })
    .toContain("pay.example.com");
  return { url, emulator, first: `${at}-0`, parked: `${at + 1}-0`, large: `${at + 2}-0` };
}

const paths = ["/", "/failures", "/plans", "/parked", "/history", "/report", "/rules", "/indexes"];

type Stand = Awaited<ReturnType<typeof setUp>>;

/** Every screen has no serious barrier, fits a phone, and shows hostile text as text. */
async function showScreens({ url, first, parked, large }: Stand): Promise<void> {
  const { page, errors } = await browser.open();
  await page.goto(`${url}/failures`);
  const failure = await page.locator("main a[href^='/failures/']").first().getAttribute("href");
  const all = [...paths, failure ?? "", ...[first, parked, large].map((id) => `/messages/default/${id}`)];
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const path of all) {
      await page.goto(url + path);
      expect({ path, title: await page.title() }).toMatchObject({
        title: expect.not.stringContaining("owned"),
      });
      expect({ path, scheme, barriers: await findSeriousBarriers(page) }).toEqual({
        path,
        scheme,
        barriers: [],
      });
      expect(await page.locator("main script, main img").count()).toBe(0);
    }
  }
  expect(errors).toEqual([]);
  const phone = await browser.open({ viewport: { width: 390, height: 844 } });
  for (const path of all) {
    await phone.page.goto(url + path);
    await expectNoWiderThanScreen(phone.page);
    expect({ path, barriers: await findSeriousBarriers(phone.page) }).toEqual({ path, barriers: [] });
  }
  // The brake stays in the header, however far the page is scrolled, and its form fits the screen.
  await phone.page.goto(url);
  await phone.page.locator("footer").scrollIntoViewIfNeeded();
  const brake = phone.page.locator("details.brake");
  expect((await brake.boundingBox())?.y).toBeLessThan(60);
  await brake.locator("summary").click();
  expect(await brake.boundingBox()).toMatchObject({ width: expect.closeTo(366, 0) as number });
  // A row is a card there, and each cell has its title: nothing is beside the screen.
  await phone.page.goto(`${url}/failures`);
  const titles = await phone.page.evaluate<[string, string][]>(
    "[...document.querySelectorAll('main td')].map((one) => [getComputedStyle(one, '::before').content, one.dataset.title])",
  );
  expect(titles.length).toBeGreaterThan(0);
  for (const [shown, title] of titles) expect(shown).toContain(title);
  const beside =
    "[...document.querySelectorAll('main .scroll')].filter((one) => one.scrollWidth > one.clientWidth).length";
  expect(await phone.page.evaluate(beside)).toBe(0);
  await page.goto(`${url}/messages/default/${first}`);
  expect(await page.locator("main").textContent()).not.toContain("\u202E");
}

/** A person without JavaScript reads and acts. */
async function actWithoutScript({ url }: Stand): Promise<void> {
  const { page } = await browser.open({ javaScriptEnabled: false });
  await page.goto(url);
  expect(await page.locator("footer").textContent()).toContain("Times are in UTC.");
  await page.locator("summary", { hasText: "Pause orders" }).click();
  const form = page.locator("details", { hasText: "Pause orders" }).locator("form");
  await form.getByLabel("Reason").fill("their database is restored");
  await form.getByLabel("Your name").fill("ada");
  await form.getByRole("button", { name: "Pause orders" }).click();
  expect(await page.locator(".said").textContent()).toContain("paused");
  await page.goto(`${url}/history?act=pause`);
  const row = await page.locator("main tbody tr").first().textContent();
  expect(row).toContain("ada (console)");
  expect(row).toContain("their database is restored");
  await page.goto(url);
  await page.locator("summary", { hasText: "Resume orders" }).first().click();
  expect(await page.locator("form[action='/acts/resume']").first().getByLabel("Your name").inputValue()).toBe(
    "ada",
  );
}

/** A page of somebody else can neither act nor read. */
async function refuseOthers({ url }: Stand): Promise<void> {
  const port = new URL(url).port;
  const html = `<form id=f method=post action="${url}/acts/pause"><input name=drain value=orders><input name=by value=mallory><input name=reason value=x></form><script>f.submit()</script>`;
  const other = await serve(
    createServer((_request, response) => response.setHeader("content-type", "text/html").end(html)),
  );
  onTestFinished(() => other.close());
  const { page } = await browser.open();
  await page.goto(other.url);
  await page.waitForURL(`${url}/acts/pause`);
  expect(await page.textContent("body")).toContain("expected a request by a page of this console");
  // DNS rebinding: another name, the console's address.
  const answer = await page.goto(`http://evil.example:${port}/`);
  expect(answer?.status()).toBe(421);
  const read = await page.evaluate(
    `fetch(${JSON.stringify(`${url}/api/v1/status`)}, { mode: "cors" }).then((r) => r.text(), (e) => "refused")`,
  );
  expect(read).toBe("refused");
  expect(await (await fetch(`${url}/history?act=pause`)).text()).not.toContain("mallory");
}

/** Keys lead from page to page, and numbers change by themselves. */
async function leadByKeys({ url, emulator }: Stand): Promise<void> {
  const { page } = await browser.open({ timezoneId: "Asia/Tokyo" });
  await page.goto(url);
  expect(await page.locator("footer").textContent()).toContain("Times are in UTC.");
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await page.waitForURL(`${url}/failures`);
  await page.keyboard.press("/");
  expect(await page.evaluate("document.activeElement.closest('form').className")).toContain("filters");
  await page.goto(url);
  await page.locator("#live-state", { hasText: "live" }).waitFor();
  emulator.dlq.seed([
    {
      url: "https://new.example.com/hook",
      createdAt: Date.now() - 9_000,
      responseStatus: 422,
      responseBody: "gone",
    },
  ]);
  await page.locator("#destinations", { hasText: "new.example.com" }).waitFor({ timeout: 60_000 });
}

it.skipIf(!hasBrowser)(
  "screens have no serious barrier, show hostile text as text, work without JavaScript and by keys, and obey no other page",
  async () => {
    const stand = await setUp();
    await showScreens(stand);
    await sideBySide({
      "a page of somebody else": () => refuseOthers(stand),
      "keys and live numbers": () => leadByKeys(stand),
    });
    await actWithoutScript(stand);
  },
  400_000,
);
