import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { atMost, shown, type Figure } from "../../rig/figures.ts";
import { untilIdle } from "../../rig/machine.ts";
import { readCpuMs } from "../stand/process-usage.ts";
import { median } from "../timing.ts";
import type { BenchPage } from "./screens.ts";
import { openVisitor, type Visit } from "./visitor.ts";

const maxPaintMs = 300;
const maxCompressedKb = 100;
/** Longer than what a page reads is kept for others. */
const forgottenMs = 1_100;
const maxWaitMs = 3_000;

/** What the browser and this machine need for a page that costs its server nothing. */
const reference = "a page of one word, for comparison";

interface PaintOptions {
  readonly url: string;
  /** Of the daemon. */
  readonly pid: number;
  readonly pages: readonly BenchPage[];
  readonly rounds: number;
}

type Timed = Visit & { readonly cpuMs: number };

/**
 * Visits each page in turn, every time as somebody who was never there: no cache, and nothing kept by the replica
 * from the page before.
 */
export async function timeFirstPaint(
  browser: Browser,
  { url, pid, pages, rounds }: PaintOptions,
): Promise<readonly Figure[]> {
  const still = createServer((_, answer) =>
    answer.setHeader("content-type", "text/html").end("<p>still</p>"),
  );
  await new Promise<void>((resolve) => still.listen(0, "127.0.0.1", resolve));
  const stillUrl = `http://127.0.0.1:${(still.address() as AddressInfo).port}/`;
  const all = [
    { name: reference, url: stillUrl },
    ...pages.map(({ name, path }) => ({ name, url: url + path })),
  ];
  const visits = new Map(all.map(({ name }): [string, Timed[]] => [name, []]));
  // The first round is the start of the browser, and of the code of each page.
  for (let round = 0; round <= rounds; round += 1) {
    for (const page of all) {
      await Promise.all([delay(forgottenMs), untilIdle(maxWaitMs)]);
      const before = readCpuMs(pid);
      const visit = await openVisitor(browser, page.url);
      if (round > 0) visits.get(page.name)?.push({ ...visit, cpuMs: readCpuMs(pid) - before });
    }
  }
  still.close();
  return [...visits].flatMap(([name, own]) => toFigures(name, own));
}

function toFigures(name: string, visits: readonly Timed[]): readonly Figure[] {
  const of = (field: keyof Timed): readonly number[] => visits.map((visit) => visit[field]);
  const middle = (field: keyof Timed): number => Math.round(median(of(field)));
  const ends = (field: keyof Timed): string =>
    [Math.min, Math.max].map((end) => Math.round(end(...of(field)))).join(" to ");
  const paint = middle("firstContentfulPaintMs");
  const range = shown(`${name}: fastest to slowest, ms`, ends("firstContentfulPaintMs"));
  if (name === reference) return [shown(`${name}: first paint, ms`, String(paint)), range];
  const cpuMs = of("cpuMs").reduce((sum, one) => sum + one, 0) / visits.length;
  return [
    atMost(`${name}: first paint, ms`, paint, maxPaintMs),
    range,
    shown(`${name}: its HTML by the server, ms`, `${middle("htmlMs")} (${ends("htmlMs")})`),
    shown(`${name}: CPU of the daemon, ms`, cpuMs.toFixed(0)),
    atMost(`${name}: its assets, compressed, KB`, middle("assetBytes") / 1_000, maxCompressedKb),
    shown(`${name}: its HTML, KB`, (middle("htmlBytes") / 1_000).toFixed(1)),
  ];
}
