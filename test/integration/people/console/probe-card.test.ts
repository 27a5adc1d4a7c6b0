import { expect, it } from "vitest";
import { Needs } from "../../../../src/people/console/parts/needs.tsx";
import { pageStyle } from "../../../../src/people/console/assets.ts";
import type { ScreenContext } from "../../../../src/people/console/screen.ts";
import { need } from "../../../../src/people/operations/status/need.ts";
import { hasBrowser, useBrowser } from "../../../support/browser.ts";

const browser = useBrowser();

it.skipIf(!hasBrowser)("while a probe is out, its card has the whole width for its title", async () => {
  const lane = { state: "halted", sent: 1, nextInMs: 20_000, lastProbeAt: 0, sinceMs: 60_000, why: null };
  const what = "Receiver billing.example.com answers 503 ledger database is down";
  const first = { kind: "probe", drain: "orders", origin: "https://billing.example.com", lane } as never;
  const context = { person: { name: "ann", role: "operator" }, url: "/" } as ScreenContext;
  const needs = [need("bad", what, { detail: "703 wait", first })];
  const html = String(await Needs({ title: "What needs a person", needs, context }));
  for (const width of [1280, 390]) {
    const { page } = await browser.open({ viewport: { width, height: 844 } });
    await page.setContent(`<style>${pageStyle}</style><main>${html}</main>`);
    const boxes = await Promise.all(
      [".needs li", ".needs li > p"].map((one) => page.locator(one).boundingBox()),
    );
    expect(boxes[1]!.width).toBeGreaterThan(boxes[0]!.width * 0.9);
  }
});
