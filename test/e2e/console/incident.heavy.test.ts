/** An incident from the first look to the all-clear, played through the console alone. */
import { expect, it } from "vitest";
import { hasBrowser, useBrowser } from "../../support/browser.ts";
import { act } from "../../support/console-act.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { useRedis } from "../../support/redis.ts";
import { startService } from "../../support/service.ts";

const redis = useRedis();
const browser = useBrowser();

const document = `
version: 1
sources: { default: {} }
defaults:
  minAge: 0s
  schedule: { every: 2s, full: 10s }
  attempts: { max: 5, wait: [5s] }
  limits: { publish: none, perHost: none }
drains:
  webhooks:
    mode: live
    select: { responseStatus: 503 }
    # A canary may take 4 s: on a machine this busy it does, and a lane that halts again tries again.
    lane: { canary: 5, watch: 6s, haltAt: 20%, probeEvery: 30s }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
  reviewed:
    mode: plan
    lane: none
    select: { responseStatus: 409 }
    rules:
      - { name: conflict, when: { responseStatus: 409 }, then: republish }
`;

const many = 1_300;
const few = 200;

it.skipIf(!hasBrowser)(
  "a person sees a new failure, reads a sample, probes, plans, applies, and watches 1,500 drain",
  async () => {
    const { emulator, receiver } = await startService();
    receiver.answer = ({ path }) => (path === "/hook" ? 503 : 200);
    const at = Date.now() - 60 * 60_000;
    const letter = (index: number, path: string, status: number, body: string) => ({
      dlqId: `${at + index}-0`,
      url: `${receiver.url}${path}`,
      createdAt: at - 5_000,
      responseStatus: status,
      responseBody: body,
      maxRetries: 0,
      body: `${path} ${index}`,
    });
    emulator.dlq.seed([
      ...Array.from({ length: many }, (_, index) => letter(index, "/hook", 503, "upstream is not there")),
      ...Array.from({ length: few }, (_, index) => letter(many + index, "/orders", 409, "version conflict")),
    ]);
    const { env } = createEnv({
      emulator,
      redisUrl: redis.url(),
      document,
      env: {
        REDRIVER_CONSOLE_PORT: "0",
        REDRIVER_CONSOLE_ROLE: "operator",
        REDRIVER_CONSOLE_BADGE: "production",
        REDRIVER_CONSOLE_BADGE_COLOR: "red",
      },
    });
    const { consoleUrl } = await startDaemon(env);
    const { page, errors } = await browser.open({ viewport: { width: 1280, height: 900 } });

    // What fails?
    await page.goto(consoleUrl ?? "");
    await page.locator(".verdict", { hasText: "halted" }).waitFor({ timeout: 60_000 });
    await page.locator("#tiles", { hasText: /1,[45]/ }).waitFor({ timeout: 60_000 });
    // The first thing to do stands with it, and says what it does.
    expect(await page.locator(".verdict .first").textContent()).toMatch(/^Probe it now.*A probe sends one/s);
    expect(await page.locator(".verdict .brake").count()).toBe(0);
    await page.getByRole("link", { name: "Failures" }).click();
    const row = page.locator("main tbody tr", { hasText: "upstream is not there" });
    await row.locator(".new").waitFor();
    await row.locator("a[href^='/failures/']").first().click();

    // One sample.
    const failureUrl = page.url();
    await page.locator("a[href^='/messages/']").first().click();
    await page.getByText("upstream is not there").first().waitFor();
    expect(await page.textContent("main")).toContain("/hook");

    // Does it still fail? It is up again: one probe, and the lane opens by itself.
    receiver.answer = () => 200;
    await page.goto(failureUrl);
    await act(page, "lanes-probe", { reason: "they say that it is back", by: "ada" });
    await page.locator(".said", { hasText: "probe" }).waitFor();

    // A few that only a person lets go.
    await page.goto(`${consoleUrl}/failures`);
    await page
      .locator("main tbody tr", { hasText: "version conflict" })
      .locator("a[href^='/failures/']")
      .first()
      .click();
    const all = page
      .locator("details", { has: page.locator("summary", { hasText: `Plan all ${few}` }) })
      .first();
    await all.locator("summary").first().click();
    await all.locator("[name='by']").fill("ada");
    await all.locator("button[type='submit']").click();
    await page.waitForURL(/\/plans\/./);
    await page.locator("summary", { hasText: "Apply to 200 messages" }).waitFor({ timeout: 60_000 });
    await act(page, "apply", { reason: "the conflicts are resolved", by: "ada" });
    await expect
      .poll(() => receiver.deliveries.filter(({ path }) => path === "/orders").length, { timeout: 60_000 })
      .toBe(few);

    // It drains. Only silence judges its lane, so what was published is not called delivered yet.
    // The plan's page loads itself anew until its last state, which may end the way to another page.
    await page.getByText("The plan is applied.").first().waitFor({ timeout: 60_000 });
    await page.goto(consoleUrl ?? "");
    await page.locator(".verdict", { hasText: "nothing waits here" }).waitFor({ timeout: 420_000 });
    // All are published then. On a machine this busy the service has a third of them to deliver yet.
    await expect.poll(() => receiver.counts().size, { timeout: 120_000 }).toBe(many + few);
    const delivered = receiver.deliveries.filter(({ path }) => path === "/orders").length;
    // Each once is proved elsewhere: some deliveries time out here, and come back.
    expect(delivered).toBe(few);

    await page.getByRole("link", { name: "History" }).click();
    // The drain of 1,500 is more rows than a page has.
    await page.getByRole("link", { name: "What people did" }).click();
    await page.locator("main tbody tr", { hasText: "the conflicts are resolved" }).first().waitFor();
    for (const name of ["Parked", "Rules", "Indexes"]) {
      await page.getByRole("link", { name }).click();
      await page.getByRole("heading", { name, level: 1 }).waitFor();
    }
    expect(errors).toEqual([]);
  },
  600_000,
);
