import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { askRedis } from "./ask-redis.ts";
import { mainScript, startChild, toCleanEnvironment, type ChildEnvironment } from "./children.ts";
import { startDaemonProcess } from "./daemon-process.ts";
import type { EmulatorAddresses } from "./emulator-client.ts";
import { findRedisServer } from "./find-or-start-redis.ts";
import { findPrometheus, startPrometheus } from "./prometheus.ts";
import { headerPrefix, startReceiver } from "./receiver.ts";

export type Stack = Awaited<ReturnType<typeof startStack>>;

export interface Stage {
  /** Factor on the service's waits between attempts. It exists in the emulator alone. */
  readonly retryScale: number;
  readonly drains: string;
  /** Where its documents are written, to find them again; absent: a temporary folder. */
  readonly folder?: string;
}

export interface StackOptions extends Stage {
  /** A Prometheus beside it. */
  readonly withPrometheus: boolean;
  readonly env: ChildEnvironment;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Registers what has to be undone, as soon as it exists; undone in reverse. */
  readonly onStop: (name: string, stop: () => Promise<void>) => void;
  /** Called when a process ends that was not stopped. */
  readonly onLost: (error: Error) => void;
}

/** Everything that runs, on loopback and free ports. All but the receiver are processes of their own. */
export async function startStack(options: StackOptions) {
  const { signal, say, onStop, onLost } = options;
  const env = toCleanEnvironment(options.env);
  const prometheusCommand = options.withPrometheus ? await findPrometheus(options.env) : null;
  const dir = await makeFolder(options);

  const cacheDir = path.resolve(import.meta.dirname, "../../.cache/redis");
  const redis = await findRedisServer({ env: options.env, cacheDir, say });
  onStop("redis", () => redis.stop());
  const keyPrefix = `redriver-demo-${randomUUID()}`;
  if (!redis.startedByUs) onStop("keys in Redis", () => removeKeys(redis.url, keyPrefix));
  say(`Redis is ${redis.startedByUs ? "started" : "the given one"}: ${new URL(redis.url).host}`);

  const receiver = await startReceiver();
  onStop("receiver", () => receiver.close());

  const service = startChild({
    env,
    onLost,
    name: "the emulator",
    script: mainScript,
    args: [
      "emulator",
      "--port=0",
      "--control-port=0",
      `--header-prefix=${headerPrefix}`,
      `--retry-scale=${options.retryScale}`,
      "--json",
    ],
  });
  onStop("emulator", () => service.stop());
  const emulator = { pid: service.pid, ...(JSON.parse(await service.firstLine()) as EmulatorAddresses) };
  say(`the message service is emulated by process ${emulator.pid}: ${emulator.url}`);
  signal.throwIfAborted();

  const settingsFile = await writeDocuments(dir, { url: redis.url, keyPrefix }, emulator, options.drains);
  const daemon = await startDaemonProcess({ env, onLost, settingsFile, signal });
  onStop("daemon", () => daemon.stop());
  say(`the daemon is process ${daemon.pid}: ${daemon.metricsUrl}`);
  let prometheusUrl: string | null = null;
  if (prometheusCommand !== null) {
    const { metricsUrl } = daemon;
    const prometheus = await startPrometheus({ command: prometheusCommand, dir, metricsUrl, signal });
    onStop("prometheus", () => prometheus.stop());
    prometheusUrl = prometheus.url;
    say(`Prometheus has the shipped alerts: ${prometheusUrl}`);
  }
  // `dir`: settings and drains document of the daemon.
  return { redisUrl: redis.url, emulator, receiver, daemon, prometheusUrl, dir };
}

/** Of a folder that somebody named, only the documents and the socket's folder are removed at the end. */
async function makeFolder({ folder, onStop }: StackOptions): Promise<string> {
  if (folder === undefined) {
    const dir = await mkdtemp(path.join(os.tmpdir(), "redriver-demo-"));
    onStop("temporary directory", () => rm(dir, { recursive: true, force: true }));
    return dir;
  }
  const dir = path.resolve(folder);
  await mkdir(dir, { recursive: true });
  onStop("documents", async () => {
    for (const name of Object.values(documentNames)) await rm(path.join(dir, name), { force: true });
    await rm(path.join(dir, socketFolder), { recursive: true, force: true });
  });
  return dir;
}

const socketFolder = "own";
const documentNames = { token: "token", drains: "drains.yaml", settings: "settings.json" } as const;

/**
 * Writes all that the daemon is given: settings, token and drains document. Answers the path of the settings.
 */
async function writeDocuments(
  dir: string,
  redis: { readonly url: string; readonly keyPrefix: string },
  { url, token }: EmulatorAddresses,
  drains: string,
): Promise<string> {
  const tokenFile = path.join(dir, documentNames.token);
  const drainsFile = path.join(dir, documentNames.drains);
  const settingsFile = path.join(dir, documentNames.settings);
  const settings = {
    service: { url, tokenFile, headerPrefix },
    redis,
    drains: { file: drainsFile },
    http: { host: "127.0.0.1", port: 0 },
    // In a folder of its own: the demo leaves no other behind.
    socket: { path: path.join(dir, socketFolder, "redriver.sock") },
    // A person may try every act with what the demo made.
    console: { port: 0, role: "admin", badge: "demo", badgeColor: "purple" },
    log: { level: "info" },
    sweep: { every: "1s" },
    shutdown: { soft: "2s", hard: "5s" },
  };
  await writeFile(tokenFile, token, { mode: 0o600 });
  await writeFile(drainsFile, drains);
  await writeFile(settingsFile, JSON.stringify(settings, null, 2));
  return settingsFile;
}

/** Of a server that was not started here, nothing is flushed: the keys of this run go, by their prefix. */
async function removeKeys(url: string, keyPrefix: string): Promise<void> {
  const script = `
    local cursor = "0"
    repeat
      local page = redis.call("SCAN", cursor, "MATCH", ARGV[1], "COUNT", 1000)
      cursor = page[1]
      for _, key in ipairs(page[2]) do redis.call("UNLINK", key) end
    until cursor == "0"
    return 0`;
  await askRedis(url, ["EVAL", script, "0", `*${keyPrefix}*`], 30_000);
}
