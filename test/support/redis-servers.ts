import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis, type RedisOptions } from "ioredis";
import { testCertificate, testCertificateKey } from "./service-certificate.ts";

export interface StartOptions {
  /** How the test itself asks this server; default: without a login. */
  readonly admin?: Pick<RedisOptions, "username" | "password" | "tls" | "enableReadyCheck">;
  /** Lines of a configuration file that the server writes to (Sentinel). */
  readonly config?: string;
  readonly port?: number;
}

export type RedisServer = Awaited<ReturnType<ReturnType<typeof createRedisServers>["start"]>>;

const startTimeoutMs = 10_000;

export interface RedisServersOptions {
  /** Told of every server's process, so that none outlives a program that is killed. */
  readonly guard?: { add(pid: number): void; remove(pid: number): void };
  /** An existing folder for what servers write; default: one that goes with them. */
  readonly dir?: string;
}

/**
 * Real servers for tests of a topology, each on a port of its own, ended with the test or with this process.
 */
export function createRedisServers({ guard, dir: given }: RedisServersOptions = {}) {
  const command = findProgram("redis-server", "redis-server");
  const folder = mkdtempSync(join(given ?? tmpdir(), "redriver-redis-"));
  const ends: (() => Promise<void>)[] = [];
  const admins: Redis[] = [];
  return {
    folder,
    /** `args` as redis-server takes them. Resolves when it answers. */
    async start(
      args: readonly string[] = [],
      { admin: adminOptions = {}, config, port = 0 }: StartOptions = {},
    ) {
      const taken = port === 0 ? await freePort() : port;
      const dir = mkdtempSync(join(folder, "server-"));
      const isTls = args.includes("--tls-cert-file");
      const ports = isTls ? ["--port", "0", "--tls-port", String(taken)] : ["--port", String(taken)];
      const file = join(dir, "redis.conf");
      if (config !== undefined) writeFileSync(file, config);
      const all = [
        ...(config === undefined ? [] : [file]),
        ...ports,
        "--bind",
        "127.0.0.1",
        "--dir",
        dir,
        "--daemonize",
        "no",
        ...(args.includes("--sentinel") ? [] : ["--save", "", "--appendonly", "no"]),
        ...args,
      ];
      const admin = new Redis({ host: "127.0.0.1", port: taken, retryStrategy: () => 30, ...adminOptions });
      admin.on("error", () => undefined);
      admins.push(admin);
      let child: ChildProcess;
      const launch = async (): Promise<void> => {
        let said = "";
        child = spawn(command, all, { stdio: ["pipe", "pipe", "pipe"] });
        if (child.pid !== undefined) guard?.add(child.pid);
        for (const stream of [child.stdout, child.stderr]) {
          stream?.on("data", (chunk: Buffer) => {
            said = (said + chunk.toString("utf8")).slice(-2_000);
          });
        }
        await answering(admin, child, () => said);
      };
      const end = async (signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, "exit");
        child.kill(signal);
        await ended;
        if (child.pid !== undefined) guard?.remove(child.pid);
        // Or a restart would take the old connection for an answer.
        if (admin.status === "ready") await once(admin, "close");
      };
      ends.push(() => end("SIGKILL"));
      await launch();
      return {
        port: taken,
        url: `${isTls ? "rediss" : "redis"}://127.0.0.1:${taken}`,
        admin,
        /** Its folder, with what it writes. */
        dir,
        /** As the machine would: at once. */
        kill: () => end("SIGKILL"),
        end,
        /** After an end: with what it had written, on the same port. Resolves when it answers. */
        restart: launch,
        pause: (): void => void child.kill("SIGSTOP"),
        resume: (): void => void child.kill("SIGCONT"),
      };
    },
    async stop(): Promise<void> {
      for (const admin of admins) admin.disconnect();
      await Promise.all(ends.map((end) => end()));
      if (given === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answering(admin: Redis, child: ChildProcess, said: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`redis-server does not answer: ${said()}`)), startTimeoutMs);
  });
  const ended = once(child, "exit").then(() => {
    throw new Error(`redis-server ended: ${said()}`);
  });
  const ready = new Promise<void>((resolve) => {
    if (admin.status === "ready") resolve();
    admin.on("ready", () => resolve());
  });
  ended.catch(() => undefined);
  try {
    await Promise.race([ready, late, ended]);
  } finally {
    clearTimeout(timer);
  }
}

/** Fails with the line that installs it: a test that is skipped proves nothing. */
export function findProgram(name: string, debianPackage: string): string {
  try {
    return execFileSync("/bin/sh", ["-c", `command -v ${name}`])
      .toString()
      .trim();
  } catch {
    throw new Error(`no ${name} on PATH; install it with \`sudo apt-get install ${debianPackage}\``);
  }
}

/**
 * Below the range of outgoing connections, so that none takes it between the look and the start; a cluster's
 * bus is 10,000 above.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    const port = 10_000 + Math.floor(Math.random() * 12_000);
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port;
  }
  throw new Error("no free port between 10000 and 22000");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

export interface Certificates {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Files in `folder`: a server's certificate for 127.0.0.1 and localhost, which is its own authority. */
export function writeCertificates(folder: string): Certificates {
  const [certFile, keyFile] = [join(folder, "redis.pem"), join(folder, "redis.key")];
  writeFileSync(certFile, testCertificate);
  writeFileSync(keyFile, testCertificateKey);
  return { caFile: certFile, certFile, keyFile };
}

/**
 * Arguments of a server that talks TLS and nothing else. `asksClients`: only to clients with a certificate of
 * the same authority.
 */
export function tlsArgs(
  { caFile, certFile, keyFile }: Certificates,
  { asksClients = false }: { readonly asksClients?: boolean } = {},
): readonly string[] {
  const files = ["--tls-cert-file", certFile, "--tls-key-file", keyFile, "--tls-ca-cert-file", caFile];
  return files.concat("--tls-auth-clients", asksClients ? "yes" : "no", "--tls-replication", "yes");
}

/** How a test's own connection talks to such a server. */
export function tlsAdmin({ caFile, certFile, keyFile }: Certificates): NonNullable<StartOptions["admin"]> {
  const [ca, cert, key] = [caFile, certFile, keyFile].map((file) => readFileSync(file, "utf8"));
  return { tls: { ca, cert, key } };
}

/** What tells redriver of the authority and of a certificate of its own. */
export function tlsEnv({ caFile, certFile, keyFile }: Certificates): Readonly<Record<string, string>> {
  return {
    REDRIVER_REDIS_CA_FILE: caFile,
    REDRIVER_REDIS_CERT_FILE: certFile,
    REDRIVER_REDIS_KEY_FILE: keyFile,
  };
}
