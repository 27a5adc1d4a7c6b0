import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createStand } from "../../../../test/support/delivery-stand.ts";

/** A receiver that counts the connections it has, and had at most at once. */
async function createCounter() {
  let now = 0;
  let most = 0;
  let all = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end());
  });
  server.on("connection", (socket: Socket) => {
    all++;
    most = Math.max(most, ++now);
    socket.on("close", () => now--);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, now: () => now, most: () => most, all: () => all };
}

describe("connections to destinations", () => {
  test("are no more than are in flight at most, however many hosts there are", async () => {
    const counter = await createCounter();
    const stand = await createStand({ maxInFlight: 4 });
    stand.publish(
      Array.from({ length: 200 }, (_, n) => ({ destination: `http://h${n}.localhost:${counter.port}/` })),
    );
    await stand.core.deliveries.idle();
    expect(stand.core.journal.counts().delivered).toBe(200);
    // The receiver may hear of a new connection before it hears of the end of the old one.
    expect(counter.most()).toBeLessThanOrEqual(12);
    await expect.poll(counter.now, { interval: 5, timeout: 2_000 }).toBeLessThanOrEqual(4);
  });

  test("are kept and used again", async () => {
    const counter = await createCounter();
    const stand = await createStand({ maxInFlight: 4 });
    for (let n = 0; n < 20; n++) {
      const host = n % 2 === 0 ? "a.localhost" : "b.localhost";
      stand.publish([{ destination: `http://${host}:${counter.port}/` }]);
      await stand.core.deliveries.idle();
    }
    expect(counter.all()).toBe(2);
  });
});
