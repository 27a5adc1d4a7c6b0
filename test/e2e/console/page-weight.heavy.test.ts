import { get } from "node:http";
import { expect, it } from "vitest";
import { startConsoleDaemon } from "../../support/console-daemon.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
const maxBytes = 100_000;

const document = `
version: 1
sources: { default: {} }
indexes:
  catalog: { id: demo, credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } }, schedule: { every: 1m } }
drains:
  orders: { schedule: { every: 1m }, rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }] }
`;

interface Sent {
  readonly bytes: number;
  readonly encoding: string | undefined;
  readonly text: string;
}

/** As a browser gets it: fetch alone does not say how much came. */
function load(url: string, encoding: "gzip" | "identity"): Promise<Sent> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { "accept-encoding": encoding } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const all = Buffer.concat(chunks);
        expect({ url, status: answer.statusCode }).toEqual({ url, status: 200 });
        resolve({ bytes: all.length, encoding: answer.headers["content-encoding"], text: all.toString() });
      });
    }).on("error", reject);
  });
}

/** What a page loads, also what its modules load. */
async function assetsOf(address: string, html: string): Promise<readonly string[]> {
  const found = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  const modules = found.filter((path) => path.endsWith(".js"));
  const texts = await Promise.all(modules.map((path) => load(address + path, "identity")));
  const imports = texts.flatMap(({ text }) => [...text.matchAll(/from\s*"\.\/([^"]+)"/g)]);
  return [...new Set([...found, ...imports.map(([, name = ""]) => `/assets/${name}`)])];
}

it("everything that a page loads besides its HTML is below 100 KB, compressed", async () => {
  const { address, page } = await startConsoleDaemon(redis.url(), document);
  const sums: Record<string, number> = {};
  for (const path of ["/", "/failures", "/plans", "/parked", "/history", "/report", "/rules", "/indexes"]) {
    const assets = await assetsOf(address, await page(path));
    const sent = await Promise.all(assets.map((asset) => load(address + asset, "gzip")));
    expect(assets).toContain("/assets/console.js");
    expect(sent.map(({ encoding }) => encoding)).toEqual(assets.map(() => "gzip"));
    sums[path] = sent.reduce((sum, { bytes }) => sum + bytes, 0);
  }
  const sizes = Object.values(sums);
  expect(Math.max(...sizes)).toBeLessThan(maxBytes);
  expect(Math.min(...sizes)).toBeGreaterThan(1_000);
}, 60_000);
