import type { Browser } from "playwright-core";

export interface Visit {
  readonly firstContentfulPaintMs: number;
  /** Of everything else that the page loads, as sent. */
  readonly assetBytes: number;
}

/** What a browser itself has measured of one page, in a profile that has never seen it. */
export async function openVisitor(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const answer = await page.goto(url, { waitUntil: "load" });
    if (answer?.status() !== 200) throw new Error(`${url} answered ${answer?.status()}`);
    return await page.evaluate<Visit>(`new Promise((resolve) => {
      const read = () => {
        const paint = performance.getEntriesByType("paint")
          .find(({ name }) => name === "first-contentful-paint");
        if (paint === undefined) return void setTimeout(read, 10);
        const assets = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/assets/"));
        resolve({
          firstContentfulPaintMs: paint.startTime,
          assetBytes: assets.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
        });
      };
      read();
    })`);
  } finally {
    await context.close();
  }
}
