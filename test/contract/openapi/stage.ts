import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createClosing, type Close } from "../../support/closing.ts";
import type { Guard } from "../../rig/guard.ts";
import type { Say } from "../../rig/program.ts";
import { startStack, type Stack } from "../../rig/stack.ts";
import { toDestinations, toDocument } from "./document.ts";
import type { Exchange } from "./exchange.ts";
import { startProxy } from "./proxy.ts";

/** Redriver and the emulator in processes of their own, and the proxy between them. */
export interface Stage {
  readonly stack: Stack;
  /** Where the messages of each drain go. */
  readonly destinations: ReturnType<typeof toDestinations>;
  /** `redriver <args>`, behind the proxy. Rejects if it fails. */
  run(...args: readonly string[]): Promise<CommandResult>;
  /** The same, where it may fail, or leave something. Rejects if it does not end. */
  tryToRun(...args: readonly string[]): Promise<CommandResult>;
  /** A call of our own, behind the proxy too: what redriver never asks for. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<CallResult>;
  readonly say: Say;
  readonly close: Close;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

export interface CallResult {
  readonly status: number;
  /** Undefined: there was no JSON. */
  readonly value: unknown;
}

export interface StageOptions {
  readonly dir: string;
  readonly guard: Guard;
  readonly program: string;
  readonly say: Say;
  readonly onExchange: (exchange: Exchange) => void;
}

const indexUser = "reader";
const indexPassword = "of-the-index";
const commandWithinMs = 120_000;

export async function startStage({ dir, guard, program, say, onExchange }: StageOptions): Promise<Stage> {
  mkdirSync(dir, { recursive: true });
  const closing = createClosing();
  const proxy = await startProxy(onExchange);
  closing.add(proxy.close);
  try {
    const callbackPort = await freePort();
    const signingKeyFile = join(dir, "signing-key");
    const stack = await startStack({
      dir,
      guard,
      program,
      receivers: 2,
      emulatorArgs: ["--retry-scale", "0", "--stats-user", indexUser, "--stats-password", indexPassword],
      // Written anew below, once the receivers have addresses.
      document: () => "",
      env: {
        REDRIVER_SERVICE_URL: proxy.url,
        REDRIVER_STATISTICS_URL: proxy.url,
        REDRIVER_CALLBACK_HOST: "127.0.0.1",
        REDRIVER_CALLBACK_PORT: String(callbackPort),
        INDEX_USER: indexUser,
        INDEX_PASSWORD: indexPassword,
      },
      onCrash: (_, how) => say(`the daemon ${how}`),
    });
    closing.add(() => stack.close());
    proxy.pointTo(stack.emulator.url);

    const call: Stage["call"] = async (method, path, body, headers = {}) => {
      const response = await fetch(`${proxy.url}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${stack.emulator.token}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, value: text === "" ? undefined : JSON.parse(text) };
    };
    const urls = { plainUrl: stack.receivers[0]!.url, triedUrl: stack.receivers[1]!.url };
    const callbacksUrl = `http://127.0.0.1:${callbackPort}/callbacks`;
    writeFileSync(
      signingKeyFile,
      ((await call("GET", "/v2/keys")).value as { readonly current: string }).current,
    );
    const { archiveDir } = stack;
    const document = toDocument({ ...urls, archiveDir, callbacksUrl, signingKeyFile });
    writeFileSync(stack.env["REDRIVER_DRAINS_FILE"]!, document);
    return {
      stack,
      destinations: toDestinations(urls),
      async run(...args) {
        const result = await runCommand(program, args, stack.env);
        if (result.exitCode === 0) return result;
        const said = (result.err || result.out).slice(-500);
        throw new Error(`redriver ${args.join(" ")} exited ${result.exitCode}: ${said}`);
      },
      tryToRun: (...args) => runCommand(program, args, stack.env),
      call,
      say,
      close: closing.close,
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

function runCommand(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      {
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
        maxBuffer: 1 << 28,
        timeout: commandWithinMs,
      },
      (_, out, err) => {
        const { exitCode } = child;
        if (exitCode === null)
          reject(new Error(`redriver ${args.join(" ")} did not end: ${err.slice(-500)}`));
        else resolve({ exitCode, out, err });
      },
    );
    child.stdin?.end();
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
