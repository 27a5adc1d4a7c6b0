import { expect, it } from "vitest";
import { hasBrowser, useBrowser } from "../../support/browser.ts";
import { act } from "../../support/console-act.ts";
import { startConsole } from "../../support/plain-console.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
const browser = useBrowser();

const document = `
version: 1
sources: { default: {} }
drains:
  orders:
    minAge: 0s
    rules: [{ name: all, when: any, then: park }]
`;

/** A proxy has the console below this path. */
const base = "/tools/redriver";

it.skipIf(!hasBrowser)(
  "a page that others act on shows what can be done now, or that it is old",
  async () => {
    const at = Date.now() - 60 * 60_000;
    const letter = { createdAt: at, maxRetries: 0, url: "https://a.example.com/", responseStatus: 503 };
    const env = { CONSOLE_ROLE: "operator", CONSOLE_BASE_PATH: base };
    const here = await startConsole(redis.url(), env, [{ dlqId: `${at}-0`, ...letter }], document);
    const url = `${here.url}${base}`;
    const { page, errors } = await browser.open();
    const { page: other } = await browser.open();
    const by = { by: "ann", reason: "to see" };
    await page.goto(`${url}/plans`);
    await act(page, "plan-keep", { by: "ann" });
    const apply = page.locator("form[action$='/acts/apply']");
    await apply.waitFor({ state: "attached" });
    await page.locator("#live-state", { hasText: " · live" }).waitFor();
    const details = page.locator("details", { has: apply });
    if ((await details.getAttribute("open")) === null) await details.locator("summary").click();

    // Another person applies it, while this one fills the form in.
    await other.goto(page.url());
    await act(other, "apply", by);
    await page.getByText("The plan is applied").waitFor();
    const isAsLoaded = () => page.evaluate("globalThis.isAsLoaded === true");
    await page.evaluate("globalThis.isAsLoaded = true");
    await page.waitForTimeout(500);
    expect(await isAsLoaded()).toBe(true);
    await details.locator("summary").click();
    await expect.poll(isAsLoaded).toBe(false);

    // A tab that was not looked at has old numbers until it is sent new ones.
    const setHidden = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`,
      );
    const state = page.locator("#live-state");
    // The page that was loaded anew follows its tab only once its script has run.
    await expect.poll(() => state.textContent()).toBe(" · live");
    // The clock goes on although nothing else changes.
    const clock = page.locator("#as-of");
    const loaded = await clock.textContent();
    expect(loaded).toMatch(/^as of \d\d:\d\d:\d\d UTC$/);
    await expect.poll(() => clock.textContent()).not.toBe(loaded);
    // It may say so for less time than one look takes.
    await page.evaluate(
      `globalThis.said = ""; const it = document.querySelector("#live-state"); new MutationObserver(() => { globalThis.said += it.textContent; }).observe(it, { childList: true, characterData: true, subtree: true })`,
    );
    await setHidden(true);
    await setHidden(false);
    await expect.poll(() => page.evaluate("globalThis.said")).toContain("not live yet");
    await expect.poll(() => state.textContent()).toBe(" · live");

    await act(other, "plans-remove", by);
    await state.getByText("it is gone").waitFor();

    // What can be done about a drain follows what others did to it.
    await page.goto(`${url}/`);
    await state.getByText(" · live").waitFor();
    expect(await page.getByText("Resume orders").count()).toBe(0);
    await other.goto(`${url}/`);
    const form = page.locator("summary", { hasText: "Pause orders" });
    await form.click();
    const stood = await clock.textContent();
    await act(other, "pause", by);
    await page.locator("#verdict summary", { hasText: "Resume all drains" }).waitFor();
    // The form's part of the page is as it was, so the clock is too.
    expect(await clock.textContent()).toBe(stood);
    await form.click();
    await expect.poll(() => clock.textContent()).not.toBe(stood);

    // What a person did is told with its time, and no more once the page has gone on for a while.
    const notice = other.locator("main > .said[role='status']");
    expect(await notice.textContent()).toMatch(/^\d\d:\d\d:\d\d UTC: all drains of source default: paused/);
    await other.evaluate("performance.now = () => 60_000");
    await expect.poll(() => notice.count()).toBe(0);
    expect(errors).toEqual([]);
  },
  120_000,
);
