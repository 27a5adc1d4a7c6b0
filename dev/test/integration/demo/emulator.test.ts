import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { startHere } from "../../../../test/support/cli.ts";

const start = (...args: readonly string[]) => startHere("emulator", ...args);
const anyPorts = ["--port=0", "--control-port=0"];

describe("redriver emulator", () => {
  it("prints its addresses as JSON, and stops listening on SIGINT with exit 0", async () => {
    const emulator = start(
      ...anyPorts,
      "--json",
      "--index",
      "catalog",
      "people",
      "--stats-user=me",
      "--stats-password=pw",
    );
    const { url, controlUrl, statsCredentials } = JSON.parse(await emulator.printed) as {
      url: string;
      controlUrl: string;
      statsCredentials: unknown;
    };
    const state = await fetch(`${controlUrl}/_control/state`);
    expect(await state.json()).toMatchObject({ dlqSize: 0, indexes: ["catalog", "people"] });
    expect(statsCredentials).toEqual({ username: "me", password: "pw" });
    emulator.interrupt();
    expect((await emulator.ended).exitCode).toBe(0);
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });

  it.each([
    ["--port=65536", "Expected a port from 0 to 65535."],
    ["--control-port=x", "Expected a port from 0 to 65535."],
    ["--retry-scale=-1", "Expected a number from 0 to 1000"],
    ["--dedup-window=10", "a number alone has none"],
    ["--retention=0s", "Expected a duration longer than nothing."],
    ["--deliver=moon", "Allowed choices are loopback, any."],
    ["--date-filter=moon", "Allowed choices are entered, created."],
    ["--token=a b", "Expected printable ASCII without spaces."],
    ["--header-prefix=Upstash", 'ends in "-"'],
    ["--stats-user=a:b", "--stats-user: expected a name without ':'"],
    ["--no-such", "unknown option"],
  ])("refuses %s with exit 2", async (option, says) => {
    const emulator = start(...anyPorts, option);
    const { exitCode, err } = await emulator.ended;
    expect(exitCode).toBe(2);
    expect(err).toContain(says);
  });

  it("says which address is taken, with exit 2", async () => {
    const taken = net.createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const emulator = start(`--port=${port}`, "--control-port=0");
    const { exitCode, err } = await emulator.ended;
    expect(exitCode).toBe(2);
    expect(err).toContain(`EADDRINUSE with 127.0.0.1:${port}`);
    taken.close();
  });
});
