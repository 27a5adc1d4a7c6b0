import { describe, expect, onTestFinished, test } from "vitest";
import { isLoopbackUrl } from "../../../emulator/delivery/loopback.ts";
import { createReceiver } from "../../../../test/support/receiver.ts";
import { startEmulator, type EmulatorOptions } from "../../../emulator/index.ts";

/** What becomes of one message to this address; `toUrl` gets the port of a receiver that takes everything. */
async function deliver(toUrl: (port: string) => string, headers: object, options: EmulatorOptions = {}) {
  const receiver = await createReceiver();
  const emulator = await startEmulator({ retryScale: 0, ...options });
  onTestFinished(async () => void (await Promise.all([emulator.close(), receiver.close()])));
  const body = JSON.stringify([{ destination: toUrl(new URL(receiver.url).port), headers }]);
  const authorization = `Bearer ${emulator.token}`;
  await fetch(`${emulator.url}/v2/batch`, { method: "POST", headers: { authorization }, body });
  await emulator.idle();
  return { deliveries: emulator.journal.entries("delivery"), dead: emulator.dlq.size };
}

describe("only this machine", () => {
  test.each([
    "http://127.1/",
    "http://127.0.0.1./",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.255.255.254:9/",
    "http://0.0.0.0/",
    "http://0/",
    "http://[::]/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://localhost./",
    "http://LOCALHOST/",
    "http://a.b.localhost/",
    "http://example.com@127.0.0.1/",
    "http://127.0.0.1\\@example.com/",
    "http://127.0.0.1/@example.com",
    "http://127.0.0.1#@example.com/",
    "http://127.0.0.1?@example.com/",
    "http://１２７.0.0.1/",
  ])("is %s", (url) => expect(isLoopbackUrl(url)).toBe(true));

  test.each([
    "http://127.0.0.1@example.com/",
    "http://localhost:80@example.com/",
    "http://localhost%40example.com@example.com/",
    "http://localhost.example.com/",
    "http://notlocalhost/",
    "http://127.0.0.1.example.com/",
    "http://example.com#127.0.0.1",
    "http://example.com/127.0.0.1",
    "http://example.com\\127.0.0.1",
    "http://128.0.0.1/",
    "http://2147483649/",
    "http://10.0.0.1/",
    "http://169.254.169.254/",
    "http://192.168.1.1/",
    "http://[fe80::1]/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[2001:db8::7f00:1]/",
    "http://localhost..example.com/",
    "https://example.com/",
    "not a url",
  ])("is not %s", (url) => expect(isLoopbackUrl(url)).toBe(false));

  test.each([
    ["localhost", (port) => `http://localhost:${port}/`],
    ["localhost with a dot at the end", (port) => `http://localhost.:${port}/`],
    ["a name below localhost, whatever a name server says", (port) => `http://any.thing.localhost:${port}/`],
    ["an address in one number", (port) => `http://2130706433:${port}/`],
    ["the unspecified address", (port) => `http://0.0.0.0:${port}/`],
    ["an address behind a user name that looks like a host", (port) => `http://example.com@127.1:${port}/`],
  ] as [string, (port: string) => string][])("is called as %s", async (_, toUrl) => {
    const { deliveries } = await deliver(toUrl, { "Upstash-Retries": "0" });
    expect(deliveries).toEqual([expect.objectContaining({ status: 200 })]);
  });

  test("is called however busy this process is, and not given up after 250 ms as Node would", async () => {
    let isOver = false;
    // After each call that it has begun the process is busy for longer than that.
    const beBusy = (): void => {
      const end = performance.now() + 300;
      while (performance.now() < end);
      if (!isOver) setImmediate(beBusy);
    };
    onTestFinished(() => void (isOver = true));
    beBusy();
    const { deliveries } = await deliver((port) => `http://any.localhost:${port}/`, {
      "Upstash-Retries": "0",
    });
    expect(deliveries).toEqual([expect.objectContaining({ status: 200 })]);
  });

  test("is called; every other host fails at once, with retries and a dead letter", async () => {
    const { deliveries, dead } = await deliver((port) => `http://127.0.0.1@192.0.2.1:${port}/`, {
      "Upstash-Retries": "1",
    });
    const error = "not called: only destinations on this machine are delivered to";
    expect(deliveries.map((entry) => entry.error)).toEqual([error, error]);
    expect(dead).toBe(1);
  });

  test("unless every host may be called", async () => {
    const headers = { "Upstash-Retries": "0", "Upstash-Timeout": "1s" };
    // 192.0.2.0/24 is reserved for documentation: nobody answers there.
    const { deliveries } = await deliver(() => "http://192.0.2.1:9/", headers, { deliver: "any" });
    expect(deliveries).toMatchObject([{ status: 0 }]);
    expect(deliveries[0]!.error).not.toMatch(/not called/);
  });
});
