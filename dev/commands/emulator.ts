import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { InvalidArgumentError, Option } from "commander";
import {
  EmulatorRefusal,
  LoadProblem,
  startEmulator,
  type Credentials,
  type Emulator,
  type EmulatorOptions,
  type GenerateOptions,
} from "../emulator/index.ts";
import { toJson, toLines } from "./emulator-text.ts";
import type { DevIo, Lent, RegisterDev } from "./lent.ts";

type Same =
  | "host"
  | "port"
  | "controlPort"
  | "token"
  | "headerPrefix"
  | "retryScale"
  | "deliver"
  | "dateFilter";

interface EmulatorFlags extends Pick<EmulatorOptions, Same | "load" | "seed"> {
  readonly dedupWindow: number;
  readonly retention?: number;
  readonly generate?: number;
  readonly arrivals: NonNullable<GenerateOptions["arrivals"]>;
  readonly over: number;
  readonly recordBytes: number;
  readonly destination?: readonly string[];
  readonly index?: readonly string[];
  readonly statsUser?: string;
  readonly statsPassword?: string;
  readonly stopWithParent?: boolean;
  readonly json?: boolean;
}

// No widely used tool listens here or one above, and no outgoing connection gets it: docs/internals/emulator.md.
const defaultPort = 7_485;

export const registerEmulator: RegisterDev = (program, lent) => {
  const { io } = lent;
  const to = parsersOf(lent);
  program
    .command("emulator")
    .description(
      "the message service on this machine: delivers, retries, keeps a DLQ; forgets all when it ends",
    )
    .option("--host <address>", "where the message API listens", "127.0.0.1")
    .option("--port <port>", "its port; 0 takes any free one", to.port, defaultPort)
    .option(
      "--control-port <port>",
      "port of the control API, on loopback and without a token",
      to.port,
      defaultPort + 1,
    )
    .option("--token <token>", "bearer token of the message API (default: a random one)", to.token)
    .option("--header-prefix <prefix>", "prefix of the service's own headers", to.headerPrefix, "Upstash-")
    .option(
      "--retry-scale <factor>",
      "multiplies every wait between attempts; 0 retries at once",
      to.factor,
      1,
    )
    .option("--max-in-flight <count>", "deliveries at once; others wait", to.positive, 64)
    .addOption(choice("--serve-order <order>", "of those that wait, who is served", "first", "last"))
    .addOption(to.duration("--dedup-window <duration>", "how long a deduplication id is remembered", "10m"))
    .addOption(to.duration("--retention <duration>", "age at which dead letters vanish (default: never)"))
    .addOption(
      choice(
        "--deliver <where>",
        "hosts that are delivered to; calls to others fail at once",
        "loopback",
        "any",
      ),
    )
    .addOption(choice("--date-filter <meaning>", "what fromDate and toDate look at", "entered", "created"))
    .option("--load <file>", "dead letters to begin with, one JSON object a line (default: nothing)")
    .option("--generate <count>", "dead letters to make up and begin with (default: nothing)", to.natural)
    .option(
      "--seed <number>",
      "the same seed makes the same dead letters and throws the same dice",
      to.natural,
      1,
    )
    .addOption(
      choice(
        "--arrivals <shape>",
        "how they are spread over the time in which they entered",
        "even",
        "burst",
        "skewed",
      ),
    )
    .addOption(to.duration("--over <duration>", "how long that time is; it ends now", "6h"))
    .option("--record-bytes <bytes>", "how large each of them is as JSON", to.natural, 2_048)
    .option(
      "--destination <url...>",
      "where their messages went, the first ones most (default: some on this machine)",
      listOf(to.destination),
    )
    .option("--index <id...>", "search indexes that have statistics (default: demo)", listOf(to.index))
    .option("--stats-user <name>", "Basic auth of the statistics (default: emulator)")
    .option("--stats-password <password>", "Basic auth of the statistics (default: a random one)")
    .option("--stop-with-parent", "stop when stdin ends, for whoever starts it")
    .option("--json", "print the addresses as one line of JSON")
    .action(async (flags: EmulatorFlags, command) => {
      if (flags.statsUser?.includes(":") === true)
        command.error("error: --stats-user: expected a name without ':'");
      const stop = new AbortController();
      const stopped = untilStopped(io, flags.stopWithParent === true).then(() => stop.abort());
      const emulator = await start(lent, flags, stop.signal);
      if (emulator === undefined) return;
      try {
        io.out(
          flags.json === true ? toJson(lent, emulator) : toLines(lent, emulator, flags.index?.[0] ?? "demo"),
        );
        await stopped;
      } finally {
        await emulator.close();
      }
    });
};

/** Undefined when it was stopped before it had begun. */
async function start(
  { misused }: Lent,
  flags: EmulatorFlags,
  signal: AbortSignal,
): Promise<Emulator | undefined> {
  const { dedupWindow, retention, index, stopWithParent: _, json: __, ...others } = flags;
  const { generate: count, arrivals, over: overMs, recordBytes, destination, ...rest } = others;
  const { statsUser, statsPassword, ...same } = rest;
  const records = { seed: flags.seed, arrivals, overMs, recordBytes, destinations: destination?.slice() };
  const hasCredentials = statsUser !== undefined || statsPassword !== undefined;
  try {
    return await startEmulator({
      ...same,
      dedupWindowMs: dedupWindow,
      retentionMs: retention,
      generate: count === undefined ? undefined : { count, ...records },
      indexes: index,
      statsCredentials: hasCredentials ? toCredentials(statsUser, statsPassword) : undefined,
      signal,
    });
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof LoadProblem || error instanceof EmulatorRefusal) {
      throw misused(error.message, error);
    }
    const { host } = flags;
    const { code, address = host, port: at } = error as NodeJS.ErrnoException & Partial<AddressInfo>;
    if (code === undefined) throw error;
    const expected = `a free port on ${host} (--host, --port) and on 127.0.0.1 (--control-port)`;
    throw misused(
      `expected ${expected}, got ${code} with ${at === undefined ? address : `${address}:${at}`}`,
      error,
    );
  }
}

/** The half of a pair that was not given is made up by the emulator's own rules. */
function toCredentials(username = "emulator", password = randomBytes(24).toString("base64url")): Credentials {
  return { username, password };
}

/** Resolves on SIGINT, SIGTERM, and, if asked for, when stdin ends. */
function untilStopped(io: DevIo, stopWithParent: boolean): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      // While it is read, an open stdin keeps the process alive.
      if (stopWithParent) process.stdin.destroy();
      resolve();
    };
    io.onSignal(end);
    if (stopWithParent) process.stdin.resume().once("end", end).once("close", end).once("error", end);
  });
}

/** How the values of flags are read. */
function parsersOf({ input }: Lent) {
  const { numberOf, textOf, parseDuration, parseUrl } = input;
  function duration(flags: string, description: string, fallback?: string): Option {
    const option = new Option(flags, description).argParser(toMs);
    return fallback === undefined ? option : option.default(toMs(fallback), fallback);
  }

  function toMs(text: string): number {
    const parsed = parseDuration(text);
    if (!parsed.ok) throw new InvalidArgumentError(`Expected ${parsed.expected}.`);
    if (parsed.value === 0) throw new InvalidArgumentError("Expected a duration longer than nothing.");
    return parsed.value;
  }

  return {
    port: numberOf(/^\d{1,5}$/, 65_535, "a port from 0 to 65535"),
    positive: numberOf(/^[1-9]\d{0,8}$/, Infinity, "a whole number from 1 up, of at most nine digits"),
    natural: numberOf(/^\d{1,9}$/, Infinity, "a whole number of at most nine digits"),
    factor: numberOf(/^\d{1,9}(\.\d{1,9})?$/, 1_000, "a number from 0 to 1000, such as 0.01"),
    token: textOf((text) => /^[\x21-\x7e]+$/.test(text), "printable ASCII without spaces"),
    headerPrefix: textOf(
      (text) => /^[A-Za-z][A-Za-z0-9-]*-$/.test(text),
      'a header prefix that ends in "-", such as Upstash-',
    ),
    destination: textOf((text) => /^https?:\/\//i.test(text) && parseUrl(text) !== null, "an http(s) URL"),
    index: textOf((text) => text !== "", "an id"),
    duration,
  };
}

/** The first is the default. */
function choice(flags: string, description: string, ...choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).default(choices[0]);
}

function listOf(parse: (text: string) => string): (text: string, before?: readonly string[]) => string[] {
  return (text, before = []) => [...before, parse(text)];
}
