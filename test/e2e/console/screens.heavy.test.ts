import { expect, it } from "vitest";
import {
  expectNoWiderThanScreen,
  findSeriousBarriers,
  hasBrowser,
  useBrowser,
} from "../../support/browser.ts";
import { startConsole } from "../../support/plain-console.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
const browser = useBrowser();

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
  "screens have no serious barrier, show hostile text as text, work without JavaScript and by keys",
  async () => {
    const stand = await setUp();
    await showScreens(stand);
    await expect(leadByKeys(stand)).resolves.toBeUndefined();
    await actWithoutScript(stand);
  },
  400_000,
);
