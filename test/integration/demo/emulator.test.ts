import { execFile } from "node:child_process";
import { EventEmitter, once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Io } from "../../../src/cli/io.ts";
import { runCli } from "../../../src/cli/program.ts";

const run = promisify(execFile);

interface Running {
  readonly exit: Promise<number>;
  /** Resolves to stdout once something is there; rejects when the command ends before. */
  printed(): Promise<string>;
  stderr(): string;
  interrupt(): void;
}

function start(...args: readonly string[]): Running {
  let stdout = "";
  let stderr = "";
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const output = new EventEmitter();
  const firstOutput = once(output, "text").then(() => stdout);
  const io: Io = {
    env: {},
    isTerminal: false,
    columns: Infinity,
    out: (text) => {
      stdout += text;
      output.emit("text");
    },
    err: (text) => void (stderr += text),
    confirm: () => Promise.resolve(false),
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const exit = runCli(["emulator", ...args], io);
  const ended = exit.then((code) => Promise.reject(new Error(`ended with ${code}: ${stderr}`)));
  // Only looked at by who waits for output.
  ended.catch(() => undefined);
  return {
    exit,
    printed: () => Promise.race([firstOutput, ended]),
    stderr: () => stderr,
    interrupt: () => {
      for (const listener of listeners) listener("SIGINT");
    },
  };
}

const anyPorts = ["--port=0", "--control-port=0"];

describe("redriver emulator", () => {
  it("prints a curl line that works, whatever the token", async () => {
    const emulator = start(...anyPorts, "--token=it's$HOME\"");
    const output = await emulator.printed();
    const curl = /^curl .*$/m.exec(output)?.[0] ?? "";
    const { stdout } = await run("/bin/sh", ["-c", `curl() { printf '%s\\n' "$@"; }; ${curl}`]);
    const [, , header = "", url = ""] = stdout.split("\n");
    const [name = "", value = ""] = header.split(": ");
    const answer = await fetch(url, { headers: { [name]: value } });
    expect([answer.status, await answer.json()]).toEqual([200, { messages: [] }]);
    expect((await fetch(url)).status).toBe(401);
    emulator.interrupt();
    expect(await emulator.exit).toBe(0);
  });

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
    const { url, controlUrl, statsCredentials } = JSON.parse(await emulator.printed()) as {
      url: string;
      controlUrl: string;
      statsCredentials: unknown;
    };
    const state = await fetch(`${controlUrl}/_control/state`);
    expect(await state.json()).toMatchObject({ dlqSize: 0, indexes: ["catalog", "people"] });
    expect(statsCredentials).toEqual({ username: "me", password: "pw" });
    emulator.interrupt();
    expect(await emulator.exit).toBe(0);
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
    expect(await emulator.exit).toBe(2);
    expect(emulator.stderr()).toContain(says);
  });

  it("says which address is taken, with exit 2", async () => {
    const taken = net.createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const emulator = start(`--port=${port}`, "--control-port=0");
    expect(await emulator.exit).toBe(2);
    expect(emulator.stderr()).toContain(`EADDRINUSE with 127.0.0.1:${port}`);
    taken.close();
  });
});
