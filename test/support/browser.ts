import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { chromiumArgs, chromiumPath } from "./chromium.ts";
import { isHere } from "./tools.ts";

export const hasBrowser = isHere("chromium");

/** A real Chromium for the tests of a file. `more`: flags of one file. */
export function useBrowser() {
  let browser: Browser | null = null;
  beforeAll(async () => {
    if (hasBrowser)
      browser = await chromium.launch({ executablePath: chromiumPath, args: [...chromiumArgs] });
  });
  afterAll(() => browser?.close());

  return {
    /** A tab of its own. A page that reports an error, or breaks its own policy, fails the test. */
    async open(
      options: BrowserContextOptions = {},
    ): Promise<{ readonly page: Page; readonly errors: string[] }> {
      if (browser === null) throw new Error("no browser");
      const context = await browser.newContext(options);
      onTestFinished(() => context.close());
      const page = await context.newPage();
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") errors.push(message.text());
      });
      return { page, errors };
    },
  };
}

const axePath = createRequire(import.meta.url).resolve("axe-core");

/** What axe finds that is serious or critical, as `rule: target`. */
export async function findSeriousBarriers(page: Page): Promise<readonly string[]> {
  // The page's policy allows no script from elsewhere, so axe is evaluated by the browser itself.
  const { readFileSync } = await import("node:fs");
  await page.evaluate(readFileSync(axePath, "utf8"));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{
          violations: { id: string; impact: string; nodes: { target: string[] }[] }[];
        }>;
      };
    };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
  });
}

export async function expectNoWiderThanScreen(page: Page): Promise<void> {
  const wide = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  expect(wide[0]).toBeLessThanOrEqual(wide[1]);
}
