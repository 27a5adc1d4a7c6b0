import { randomBytes } from "node:crypto";
import { InvalidArgumentError, Option } from "commander";
import type { Credentials, Emulator } from "../../emulator/index.ts";
import { RedriverError } from "../../ports/errors.ts";
import { parseDuration } from "../../rules/parse-durations.ts";
import type { Register } from "../command-context.ts";
import type { Io } from "../io.ts";

interface EmulatorFlags {
  readonly host: string;
  readonly port: number;
  readonly controlPort: number;
  readonly token?: string;
  readonly headerPrefix: string;
  readonly retryScale: number;
  readonly dedupWindow: number;
  readonly retention?: number;
  readonly deliver: "loopback" | "any";
  readonly dateFilter: "entered" | "created";
  readonly index?: readonly string[];
  readonly statsUser?: string;
  readonly statsPassword?: string;
  readonly stopWithParent?: boolean;
  readonly json?: boolean;
}

/** `redriver emulator`: see docs/emulator.md. Its code is loaded only when asked for. */
export const registerEmulator: Register = (program, { io }) => {
  program
    .command("emulator")
    .description(
      "the message service on this machine: delivers, retries, keeps a DLQ; forgets all when it ends",
    )
    .option("--host <address>", "where the message API listens", "127.0.0.1")
    .option("--port <port>", "its port; 0 takes any free one", toPort, 8080)
    .option("--control-port <port>", "port of the control API, on loopback and without a token", toPort, 8081)
    .option("--token <token>", "bearer token of the message API (default: a random one)", toToken)
    .option("--header-prefix <prefix>", "prefix of the service's own headers", toHeaderPrefix, "Upstash-")
    .option(
      "--retry-scale <factor>",
      "multiplies every wait between attempts; 0 retries at once",
      toFactor,
      1,
    )
    .addOption(
      duration("--dedup-window <duration>", "how long a deduplication id is remembered").default(
        600_000,
        "10m",
      ),
    )
    .addOption(duration("--retention <duration>", "age at which dead letters vanish (default: never)"))
    .addOption(
      new Option("--deliver <where>", "hosts that are delivered to; calls to others fail at once")
        .choices(["loopback", "any"])
        .default("loopback"),
    )
    .addOption(
      new Option("--date-filter <meaning>", "what fromDate and toDate look at")
        .choices(["entered", "created"])
        .default("entered"),
    )
    .option("--index <id...>", "search indexes that have statistics (default: demo)")
    .option("--stats-user <name>", "Basic auth of the statistics (default: emulator)")
    .option("--stats-password <password>", "Basic auth of the statistics (default: a random one)")
    .option("--stop-with-parent", "stop when stdin ends, for whoever starts it")
    .option("--json", "print the addresses as one line of JSON")
    .action(async (flags: EmulatorFlags, command) => {
      if (flags.statsUser?.includes(":") === true)
        command.error("error: --stats-user: expected a name without ':'");
      const stopped = untilStopped(io, flags.stopWithParent === true);
      const emulator = await start(flags);
      try {
        io.out(flags.json === true ? toJson(emulator) : toLines(emulator));
        await stopped;
      } finally {
        await emulator.close();
      }
    });
};

async function start(flags: EmulatorFlags): Promise<Emulator> {
  const { startEmulator } = await import("../../emulator/index.ts");
  const { host, port, controlPort, token, headerPrefix, retryScale, deliver, dateFilter } = flags;
  try {
    return await startEmulator({
      host,
      port,
      controlPort,
      token,
      headerPrefix,
      retryScale,
      deliver,
      dateFilter,
      dedupWindowMs: flags.dedupWindow,
      retentionMs: flags.retention,
      indexes: flags.index,
      statsCredentials: toCredentials(flags),
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const expected = `a free port on ${host} (--host, --port) and on 127.0.0.1 (--control-port)`;
    throw new RedriverError(
      "command-misused",
      `expected ${expected}, got ${code} with ${host}:${port} and 127.0.0.1:${controlPort}`,
      { cause: error },
    );
  }
}

/** Only what was given; the other half of a pair is made up by the emulator's own rules. */
function toCredentials({ statsUser, statsPassword }: EmulatorFlags): Credentials | undefined {
  if (statsUser === undefined && statsPassword === undefined) return undefined;
  return {
    username: statsUser ?? "emulator",
    password: statsPassword ?? randomBytes(24).toString("base64url"),
  };
}

/** Resolves on SIGINT, SIGTERM, and, where asked for, when stdin ends. */
function untilStopped(io: Io, stopWithParent: boolean): Promise<void> {
  return new Promise((resolve) => {
    io.onSignal(() => resolve());
    if (!stopWithParent) return;
    process.stdin.resume();
    process.stdin
      .once("end", resolve)
      .once("close", resolve)
      .once("error", () => resolve());
  });
}

function toLines({ url, controlUrl, token, statsCredentials, headerPrefix }: Emulator): string {
  const authorization = quote(`Authorization: Bearer ${token}`);
  return [
    `message API     ${url}`,
    `token           ${token}`,
    `header prefix   ${headerPrefix}`,
    `control API     ${controlUrl}/_control/state`,
    `statistics      ${statsCredentials.username}:${statsCredentials.password}`,
    "",
    `curl -sS -H ${authorization} ${url}/v2/dlq`,
    "",
  ].join("\n");
}

function toJson({ url, controlUrl, token, statsCredentials, headerPrefix }: Emulator): string {
  return `${JSON.stringify({ url, controlUrl, token, statsCredentials, headerPrefix })}\n`;
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function duration(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string) => {
    const parsed = parseDuration(text);
    if (!parsed.ok) throw new InvalidArgumentError(`Expected ${parsed.expected}.`);
    if (parsed.value === 0) throw new InvalidArgumentError("Expected a duration longer than nothing.");
    return parsed.value;
  });
}

function toPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError("Expected a port from 0 to 65535.");
}

function toFactor(text: string): number {
  const factor = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (factor <= 1_000) return factor;
  throw new InvalidArgumentError("Expected a number from 0 to 1000, such as 0.01.");
}

function toToken(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new InvalidArgumentError("Expected printable ASCII without spaces.");
}

function toHeaderPrefix(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]*-$/.test(text)) return text;
  throw new InvalidArgumentError('Expected a header prefix that ends in "-", such as Upstash-.');
}
