import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { atMost, shown, type Figure } from "../../rig/figures.ts";
import { median } from "../timing.ts";
import { openVisitor } from "./visitor.ts";
import type { BenchPage } from "./screens.ts";

const maxPaintMs = 300;
const maxCompressedBytes = 100_000;
/** Longer than anything that a page reads is kept for others. */
const forgottenMs = 1_100;

interface Visits {
  readonly paintMs: number[];
  readonly htmlMs: number[];
  htmlBytes: number;
  assetBytes: number;
}

/**
 * Visits each page in turn, every time as somebody who was never there: no cache, and nothing kept by the replica
 * from the page before.
 */
export async function timeFirstPaint(
  browser: Browser,
  url: string,
  pages: readonly BenchPage[],
  rounds: number,
): Promise<readonly Figure[]> {
  const visits = new Map<string, Visits>();
  // The first page of a new browser is its own start.
  await openVisitor(browser, url + pages[0]!.path);
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, path } of pages) {
      await delay(forgottenMs);
      const visit = await openVisitor(browser, url + path);
      const all = visits.get(name) ?? { paintMs: [], htmlMs: [], htmlBytes: 0, assetBytes: 0 };
      visits.set(name, all);
      all.paintMs.push(visit.firstContentfulPaintMs);
      all.htmlMs.push(visit.htmlMs);
      all.htmlBytes = visit.htmlBytes;
      all.assetBytes = visit.assetBytes;
    }
  }
  return [...visits].flatMap(([name, { paintMs, htmlMs, htmlBytes, assetBytes }]) => [
    atMost(`${name}: first paint, median of ${rounds}, ms`, Math.round(median(paintMs)), maxPaintMs),
    shown(`${name}: first paint, slowest, ms`, String(Math.round(Math.max(...paintMs)))),
    shown(
      `${name}: HTML by the server, median and slowest, ms`,
      `${Math.round(median(htmlMs))}, ${Math.round(Math.max(...htmlMs))}`,
    ),
    shown(`${name}: its HTML, KB`, toKb(htmlBytes)),
    atMost(`${name}: its assets, compressed, KB`, Number(toKb(assetBytes)), maxCompressedBytes / 1_000),
  ]);
}

function toKb(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}
