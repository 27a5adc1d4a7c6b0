import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** How a service lists that no listing of it comes to an end. */
export type BadListing = "new-records" | "empty-pages" | "too-large" | "no-answer";

export interface BadSource {
  readonly url: string;
  /** Listings that were asked for so far. */
  asked(): number;
}

const answersAfterMs = 50;

/** A service whose listing never ends, at 20 pages a second; ended with the test. */
export async function startBadSource(listing: BadListing): Promise<BadSource> {
  let asked = 0;
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== "GET") return void response.writeHead(503).end();
    asked += 1;
    if (listing === "no-answer") return;
    const page = asked;
    const timer = setTimeout(() => {
      timers.delete(timer);
      answer(listing, page, response);
    }, answersAfterMs);
    timers.add(timer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const timer of timers) clearTimeout(timer);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

function answer(listing: Exclude<BadListing, "no-answer">, page: number, response: ServerResponse): void {
  if (listing === "too-large") {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`{"messages":["${"x".repeat(2 * 1_048_576)}"]}`);
    return;
  }
  const messages =
    listing === "empty-pages"
      ? []
      : [
          {
            dlqId: `${Date.now() - 60_000}-${page}`,
            url: "http://127.0.0.1:9/hook",
            createdAt: Date.now() - 90_000,
            responseStatus: 404,
          },
        ];
  response.writeHead(200, { "content-type": "application/json", date: new Date().toUTCString() });
  response.end(JSON.stringify({ messages, cursor: `page-${page}` }));
}
