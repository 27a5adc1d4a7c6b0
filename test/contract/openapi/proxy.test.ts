import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { waitFor } from "../../support/wait-for.ts";
import type { Exchange } from "./exchange.ts";
import { startProxy } from "./proxy.ts";

async function startBetween(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const exchanges: Exchange[] = [];
  const proxy = await startProxy((exchange) => void exchanges.push(exchange));
  onTestFinished(async () => {
    await proxy.close();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  proxy.pointTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { url: proxy.url, exchanges };
}

it("hands on request and answer as they are, and shows both", async () => {
  const { url, exchanges } = await startBetween((request, response) => {
    response.writeHead(418, { Date: "then", "X-Twice": ["a", "b"], "Content-Type": "text/plain" });
    request.pipe(response);
  });
  const response = await fetch(`${url}/a?b=c%20d`, {
    method: "POST",
    body: "tea",
    headers: { "X-Own": "1" },
  });
  expect([response.status, response.headers.get("date"), await response.text()]).toEqual([
    418,
    "then",
    "tea",
  ]);
  expect(response.headers.get("x-twice")).toBe("a, b");
  const [{ request, answer }] = exchanges as [Exchange];
  expect(request).toMatchObject({
    method: "POST",
    path: "/a",
    query: "b=c%20d",
    headers: { "x-own": ["1"] },
  });
  expect(answer).toMatchObject({ status: 418, headers: { "x-twice": ["a", "b"] } });
  expect([request.body, answer?.body].map(String)).toEqual(["tea", "tea"]);
});

it("adds no header to an answer", async () => {
  const { url } = await startBetween((_, response) => {
    response.sendDate = false;
    response.end();
  });
  expect((await fetch(url)).headers.get("date")).toBeNull();
});

it.each<readonly [how: string, listener: RequestListener]>([
  ["before its head", (request) => request.on("data", () => request.socket.destroy())],
  [
    "in its body",
    (request, response) =>
      void request.on("data", () => {
        response.writeHead(200, { "Content-Length": "10" });
        response.write("half", () => (response.socket as Socket).destroy());
      }),
  ],
])("loses an answer that ends %s, and shows the request alone", async (_, listener) => {
  const { url, exchanges } = await startBetween(listener);
  const lost = fetch(url, { method: "POST", body: "lost" }).then((response) => response.text());
  await expect(lost).rejects.toThrow(/fetch failed|terminated/);
  await waitFor(() => expect(exchanges).toHaveLength(1));
  expect(exchanges).toMatchObject([{ request: { body: Buffer.from("lost") }, answer: null }]);
});
