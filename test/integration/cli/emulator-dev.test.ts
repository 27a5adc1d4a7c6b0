import { createServer, type AddressInfo } from "node:net";
import { Client, Receiver as SignatureReceiver } from "@upstash/qstash";
import { afterEach, expect, test, vi } from "vitest";
import { runHere, startHere } from "../../support/cli.ts";
import { createReceiver } from "../../support/receiver.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("an SDK in development mode finds the emulator, sends through it and knows its signatures", async () => {
  const emulator = startHere("emulator", "--dev", "--port=0", "--control-port=0");
  const output = await emulator.printed;
  const port = /QSTASH_DEV=true QSTASH_DEV_PORT=(\d+)/.exec(output)?.[1];
  for (const name of Object.keys(process.env)) if (/QSTASH|UPSTASH/.test(name)) vi.stubEnv(name, undefined);
  vi.stubEnv("QSTASH_DEV", "true");
  vi.stubEnv("QSTASH_DEV_PORT", port);
  const said = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const receiver = await createReceiver();
  try {
    const { messageId } = await new Client().publishJSON({ url: `${receiver.url}/hook`, body: { n: 1 } });
    // It neither downloads nor starts anything if it says this.
    expect(said.mock.calls.flat().join("\n")).toContain(`Server already running at http://127.0.0.1:${port}`);
    await expect.poll(() => receiver.deliveries).toMatchObject([{ path: "/hook", body: '{"n":1}' }]);
    const { headers, body } = receiver.deliveries[0]!;
    expect(headers["upstash-message-id"]).toBe(messageId);
    const signature = String(headers["upstash-signature"]);
    expect(await new SignatureReceiver().verify({ signature, body, url: `${receiver.url}/hook` })).toBe(true);
    await expect(new SignatureReceiver().verify({ signature, body: "{}" })).rejects.toThrow(/body hash/);
  } finally {
    await receiver.close();
    emulator.interrupt();
    expect((await emulator.ended).exitCode).toBe(0);
  }
});

/** What it prints of where it listens, or why it cannot. */
async function whereOf(env: Record<string, string>, ...more: string[]): Promise<string> {
  let stop: (() => void) | undefined;
  const { out, err } = await runHere(["emulator", "--dev", "--control-port=0", "--json", ...more], env, {
    onListening: (interrupt) => (stop = interrupt),
    onOut: () => stop?.(),
  });
  return out + err;
}

test("it listens where the SDK looks: QSTASH_DEV_PORT, otherwise 8080, and a given port before both", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as AddressInfo;
  expect(await whereOf({ QSTASH_DEV_PORT: String(port) })).toContain(`EADDRINUSE with 127.0.0.1:${port}`);
  expect(await whereOf({ QSTASH_DEV_PORT: "1" }, `--port=${port}`)).toContain(
    `EADDRINUSE with 127.0.0.1:${port}`,
  );
  // Whether that port is free here or not.
  expect(await whereOf({ QSTASH_DEV_PORT: "none" })).toContain("127.0.0.1:8080");
  taken.close();
});

test.each(["--token=x", "--header-prefix=X-"])("%s cannot be combined with it", async (flag) => {
  const { exitCode, err } = await runHere(["emulator", "--dev", "--port=0", "--control-port=0", flag], {});
  expect(exitCode).toBe(2);
  expect(err).toContain("cannot be used with option");
});
