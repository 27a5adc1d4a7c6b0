/** From the root of the repository: plays docs/incident.md in the console, and keeps a picture of each screen. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium, type Page } from "playwright-core";
import { openCheckout } from "../../pages/incident/checkout.ts";
import { startFirstTerminal } from "../../pages/incident/first-terminal.ts";
import { demoLine } from "../../pages/incident/run-steps.ts";
import { chromiumArgs, chromiumPath } from "../../support/chromium.ts";
import { act } from "../../support/console-act.ts";
import { createFilm } from "./film.ts";

const folder = "docs/console";
const by = "ann";
const wide = { width: 1280, height: 800 };
const phone = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 1.5 };

const film = createFilm("An incident in the console, from the halt to the empty queue");

mkdirSync(folder, { recursive: true });
using checkout = openCheckout(".");
await using first = startFirstTerminal(demoLine, checkout);
const consoleUrl = /The console is at (\S+)/.exec(await first.until([/The console is at \S+\n/]))?.[1] ?? "";
const browser = await chromium.launch({ executablePath: chromiumPath, args: [...chromiumArgs] });
try {
  await play(await browser.newPage({ viewport: wide, colorScheme: "light" }));
} finally {
  await browser.close();
}

async function play(page: Page): Promise<void> {
  const open = (address: string) => page.goto(new URL(address, consoleUrl).href);
  await open("/");
  await page.locator(".verdict", { hasText: "halted" }).waitFor();
  await page.locator("#tiles", { hasText: "660" }).waitFor();
  await shoot(page, "now");
  await film.add(
    page,
    "A receiver is down: five were tried, and its lane is halted. Nothing else is sent there.",
  );
  await open("/failures");
  await shoot(page, "failures");
  await page.locator("main tbody tr", { hasText: "orders" }).locator("a[href^='/failures/']").first().click();
  await shoot(page, "failure");
  await film.add(page, "What the receiver says, since when, and what to do first.");
  await page.locator("a[href^='/messages/']").first().click();
  await page.getByText("no connection to the database").first().waitFor();
  await shoot(page, "message");
  await open("/parked");
  await shoot(page, "parked");

  rmSync(path.join(checkout.cwd, ".cache/incident/receiver-is-down"));
  await open("/failures");
  await page.locator("main tbody tr", { hasText: "orders" }).locator("a[href^='/failures/']").first().click();
  await act(page, "lanes-probe", { reason: "INC-7: the database is back", by });
  await open("/");
  await page.locator(".verdict.good").waitFor();
  await film.add(page, "The database is back. One probe is delivered, and the rest follows by itself.");
  await open("/failures");
  await page
    .locator("main tbody tr", { hasText: "payments" })
    .locator("a[href^='/failures/']")
    .first()
    .click();
  await page.getByRole("link", { name: "Plan these" }).click();
  await page.locator("form[action='/acts/plan-keep'] select[name='drains']").selectOption("payments");
  await act(page, "plan-keep", { by });
  await page.waitForURL(/\/plans\/./);
  await page.locator("summary", { hasText: "Apply to 60 messages" }).waitFor();
  await shoot(page, "plan");
  await film.add(page, "What only plans is read first, and then applied by a person, with a reason.");
  await act(page, "apply", { by, reason: "INC-7: the database is back" });
  // The page of the history is not live.
  const isDeleted = page.locator("main tbody tr", { hasText: "delete" });
  for (let look = 0; look < 100 && (await isDeleted.count()) === 0; look += 1) {
    await open("/history?by=ann*");
  }
  await shoot(page, "history");
  await open("/");
  await page.locator("#tiles li", { hasText: /^0\s*waiting/ }).waitFor({ timeout: 120_000 });
  await film.add(page, "All are sent again, each once. Twelve that a rule parked wait for a person.");
  writeFileSync(path.join(folder, "incident.svg"), film.write());

  const dark = await browser.newPage({ viewport: wide, colorScheme: "dark" });
  await dark.goto(consoleUrl);
  await dark.locator(".verdict", { hasText: /draining|Draining|Parked|parked/ }).waitFor();
  await shoot(dark, "now-dark");
  const small = await browser.newPage({ ...phone, colorScheme: "light" });
  await small.goto(new URL("/failures", consoleUrl).href);
  await shoot(small, "failures-phone");
}

/** Down to the end of the page, or of the window. */
async function shoot(page: Page, name: string): Promise<void> {
  const { width, height } = page.viewportSize() ?? wide;
  const end = await page.locator("footer").boundingBox();
  const clip = {
    x: 0,
    y: 0,
    width,
    height: Math.min(height, Math.ceil((end?.y ?? 0) + (end?.height ?? height))),
  };
  await page.screenshot({ path: path.join(folder, `${name}.png`), animations: "disabled", clip });
}
