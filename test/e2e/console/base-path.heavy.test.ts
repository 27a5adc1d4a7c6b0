import { createServer, request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { hasBrowser, useBrowser } from "../../support/browser.ts";
import { createFolder } from "../../support/command.ts";
import { startConsole } from "../../support/plain-console.ts";
import { useRedis } from "../../support/redis.ts";
import { serve } from "../../support/serve.ts";

const redis = useRedis();
const browser = useBrowser();
const base = "/tools/redriver";
const token = "a-token-of-ann-0001";

/** Passes on what is below the base alone, and notes what else was asked for. */
async function startProxy(upstream: string, doesStrip: boolean) {
  const { hostname, port } = new URL(upstream);
  const outside: string[] = [];
  const streams: string[] = [];
  const server = createServer((incoming, answer) => {
    const { method, url = "", headers } = incoming;
    if (!url.startsWith(`${base}/`)) {
      outside.push(url);
      answer.writeHead(404).end();
      return;
    }
    if (url.startsWith(`${base}/live?`)) streams.push(url);
    const path = doesStrip ? url.slice(base.length) : url;
    const outgoing = request(
      { hostname, port, path, method, headers, setHost: false, agent: false },
      (from) => {
        answer.writeHead(from.statusCode ?? 0, from.headers);
        from.pipe(answer);
      },
    );
    outgoing.on("error", () => answer.destroy());
    answer.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  const { url, close } = await serve(server);
  onTestFinished(close);
  return { url: `${url}${base}`, outside, streams };
}

it.skipIf(!hasBrowser).each([
  ["strips the path", true],
  ["leaves the path", false],
])(
  "a person signs in, reads every screen, acts and sees it live below a path, through a proxy that %s",
  async (_, doesStrip) => {
    const { path } = createFolder({ tokens: `ann admin ${token}` });
    const at = Date.now() - 60 * 60_000;
    const letter = { createdAt: at, maxRetries: 0, url: "https://pay.example.com/hook" };
    const { url } = await startConsole(
      redis.url(),
      { CONSOLE_BASE_PATH: `${base}/`, CONSOLE_AUTH: "token", CONSOLE_TOKEN_FILE: `${path}/tokens` },
      [
        { ...letter, dlqId: `${at}-0`, responseStatus: 503 },
        { ...letter, dlqId: `${at + 1}-0`, responseStatus: 422 },
      ],
    );
    const proxy = await startProxy(url, doesStrip);
    const { page, errors } = await browser.open();
    const failed: string[] = [];
    page.on("response", (answer) => {
      if (answer.status() >= 400) failed.push(`${answer.status()} ${answer.url()}`);
    });

    await page.goto(`${proxy.url}/`);
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("footer", { hasText: "ann (admin)" }).waitFor();
    // The form itself came with 401.
    expect(failed.splice(0)).toEqual([`401 ${proxy.url}/`]);
    errors.splice(0);
    expect((await page.context().cookies()).map((cookie) => cookie.path)).toEqual([base]);

    await page.locator("#destinations a[href*='pay.example.com']").first().waitFor();
    const titles = await page.locator("nav a").allTextContents();
    expect(titles).toHaveLength(7);
    for (const title of titles) {
      await page.locator("nav a", { hasText: title }).click();
      await page.locator("h1", { hasText: title }).waitFor();
      expect(page.url()).toMatch(new RegExp(`^${proxy.url}/`));
    }
    // Down to one message.
    await page.locator("nav a", { hasText: "Failures" }).click();
    await page.locator(`main a[href^='${base}/failures/']`).first().click();
    await page.locator(`main a[href^='${base}/messages/']`).first().click();
    await page.locator("h1").waitFor();
    expect(page.url()).toContain(`${proxy.url}/messages/default/`);

    await page.goto(`${proxy.url}/`);
    await page.locator("#live-state", { hasText: " · live" }).waitFor();
    await page.evaluate("globalThis.isAsLoaded = true");
    await page.locator("summary", { hasText: "Pause orders" }).click();
    const form = page
      .locator("details", { hasText: "Pause orders" })
      .locator(`form[action='${base}/acts/pause']`);
    const commandAsked = page.waitForResponse(`${proxy.url}/acts/pause/command`);
    await form.getByLabel("Reason").fill("their database is restored");
    await form.getByLabel("Reason").blur();
    expect((await commandAsked).status()).toBe(200);

    // Somebody else acts by the API: the open page shows it, and its new links lead below the path too.
    const other = await fetch(`${proxy.url}/api/v1/pauses`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ host: "https://pay.example.com", reason: "seen live" }),
    });
    expect(other.status).toBe(200);
    const destination = page.locator("#destinations tr", { hasText: "seen live" });
    expect(await destination.locator("a").first().getAttribute("href")).toMatch(
      new RegExp(`^${base}/failures\\?host=`),
    );
    expect(await page.evaluate("globalThis.isAsLoaded")).toBe(true);
    expect(proxy.streams.length).toBeGreaterThan(0);

    await form.getByRole("button", { name: "Pause orders" }).click();
    await page.locator(".said", { hasText: "paused" }).waitFor();
    expect(page.url()).toBe(`${proxy.url}/`);
    expect(proxy.outside).toEqual([]);
    expect(failed).toEqual([]);
    expect(errors).toEqual([]);
  },
  120_000,
);
