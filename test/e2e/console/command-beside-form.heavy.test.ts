import { EventEmitter, once } from "node:events";
import { expect, it } from "vitest";
import { hasBrowser, useBrowser } from "../../support/browser.ts";
import { startConsole } from "../../support/plain-console.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
const browser = useBrowser();

/** A proxy has the console below this path. */
const base = "/tools/redriver";

it.skipIf(!hasBrowser)(
  "the command beside a form is copied as the form is now, however late the server writes it",
  async () => {
    const { url } = await startConsole(redis.url(), { CONSOLE_ROLE: "operator", CONSOLE_BASE_PATH: base });
    const { page, errors } = await browser.open({ permissions: ["clipboard-read", "clipboard-write"] });
    let isLetGo = Promise.resolve();
    await page.route("**/acts/plan-keep/command", async (route) => {
      await isLetGo;
      await route.continue();
    });
    await page.goto(`${url}${base}/plans`);
    const form = page.locator("form[action$='/acts/plan-keep']");
    await form.locator("xpath=ancestor::details[1]/summary").click();
    const [command, note] = [form.locator(".command code"), form.locator("[data-as-opened]")];
    const copied = () => page.evaluate<string>("navigator.clipboard.readText()");
    await form.locator("[name=limit]").fill("5");
    await form.locator("[name=limit]").blur();
    await expect.poll(() => command.textContent()).toContain("--limit 5");

    const gate = new EventEmitter();
    isLetGo = once(gate, "open").then(() => undefined);
    await form.locator("[name=host]").pressSequentially("it's here");
    // Whoever still types sees that the command does not have it.
    expect(await note.textContent()).not.toBe("");
    await form.locator(".command button").click();
    expect(await form.locator(".command button").textContent()).toBe("Copy");
    gate.emit("open");
    await expect.poll(() => form.locator(".command button").textContent()).toBe("Copied");
    expect(await copied()).toBe(String.raw`redriver plan --keep --all --host 'it'\''s here' --limit 5`);
    expect(await note.textContent()).toBe("");

    await form.locator("[name=limit]").fill("6");
    expect(await form.locator(".command button").textContent()).toBe("Copy");
    expect(errors).toEqual([]);
    await page.context().setOffline(true);
    await form.getByLabel("Drain").selectOption("orders");
    await form.getByText("as this page opened").waitFor();
    expect(await command.textContent()).toBe("redriver plan --keep --all");
  },
);
