import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRedisLedger } from "../../../src/job/store/ledger/redis-ledger.ts";
import type { DlqId } from "../../../src/job/message/dead-letter.ts";
import type { SourceId } from "../../../src/job/contracts/ids.ts";
import type { Ledger } from "../../../src/job/contracts/ledger.ts";
import { start, type Running } from "../../support/command.ts";
import { startDaemon } from "../../support/daemon.ts";
import { createDrainStage, type DrainStage } from "../../support/drain-stage.ts";
import { defaultLimits } from "../../support/ledger-stands.ts";
import { useRedis } from "../../support/redis.ts";
import { createTcpProxy, type TcpProxy } from "../../support/tcp-proxy.ts";

const redis = useRedis();

/** Nothing that is waited for in vain ends by itself while a test runs: what ends is ended. */
const patient = {
  REDRIVER_SERVICE_LIST_TIMEOUT: "60s",
  REDRIVER_SERVICE_BATCH_TIMEOUT: "60s",
  REDRIVER_SERVICE_DELETE_TIMEOUT: "60s",
};
const soon = { ...patient, REDRIVER_SHUTDOWN_SOFT: "300ms", REDRIVER_SHUTDOWN_HARD: "5s" };
const late = { ...patient, REDRIVER_SHUTDOWN_SOFT: "10m", REDRIVER_SHUTDOWN_HARD: "10m" };

const setUp = (env: Readonly<Record<string, string>>, url = redis.url()): Promise<DrainStage> =>
  createDrainStage({ url, env });

async function proxied(): Promise<{ readonly proxy: TcpProxy; readonly url: string }> {
  const { hostname, port } = new URL(redis.url());
  const proxy = await createTcpProxy({ host: hostname, port: Number(port) });
  onTestFinished(() => proxy.close());
  return { proxy, url: `redis://127.0.0.1:${proxy.port}` };
}

/** The daemon of this stage once its next call of that operation has taken effect and is not answered. */
async function stalledAt(stage: DrainStage, operation: "list" | "batch" | "delete") {
  const { emulator, setup } = stage;
  emulator.faults.add({ kind: "stall-answer", name: "stall", operation, when: "after", count: 1 });
  const daemon = await startDaemon(setup.env);
  await emulator.journal.waitFor((entry) => entry.type === "fault" && entry.name === "stall");
  return daemon;
}

/** The exit code, or the signal that ended it. */
type End = number | NodeJS.Signals | null;

async function endOf({ child, ended }: Running): Promise<End> {
  const { exitCode } = await ended;
  return exitCode ?? child.signalCode;
}

function ledgerOf({ setup }: DrainStage): Ledger {
  const keyPrefix = setup.env["REDRIVER_REDIS_KEY_PREFIX"] ?? "";
  const identity = { epochSeed: () => "unused" };
  return createRedisLedger({ ...redis.fresh(), keyPrefix }, "default" as SourceId, defaultLimits, identity);
}

/**
 * How many were accepted. Each of them is in doubt or pending in the ledger, or gone and deleted; all others
 * are still listed.
 */
async function acceptedAndKnown(stage: DrainStage, bodies: readonly string[]): Promise<number> {
  const { dlq, journal } = stage.emulator;
  const accepted = journal.entries("accepted").map(({ deduplicationId = "" }) => {
    const [, dlqId] = /^redriver-(\d+-\d+)$/.exec(deduplicationId) ?? [];
    return dlqId as DlqId;
  });
  const listed = accepted.filter((dlqId) => dlq.find(dlqId) !== undefined);
  expect(dlq.size).toBe(bodies.length - (accepted.length - listed.length));
  if (accepted.length === 0) return 0;
  const { views } = await ledgerOf(stage).peek(accepted);
  for (const [index, dlqId] of accepted.entries()) {
    const states = listed.includes(dlqId) ? ["open", "published"] : ["open", "published", "gone"];
    expect(states).toContain(views[index]?.state);
  }
  return accepted.length;
}

/**
 * A module for `--import`: every sync of a file hangs in the kernel, as on a volume that is gone, and says
 * so.
 */
const stalledDisk = (pipe: string): string => `
import { open } from "node:fs/promises";
const handle = await open("/dev/null");
Object.getPrototypeOf(handle).sync = () => {
  process.stdout.write(JSON.stringify({ event: "test:stalled" }) + "\\n");
  return open(${JSON.stringify(pipe)}, "r");
};
await handle.close();
`;

/** A module for `--import`: the process is told to stop when it opens this file. */
const stopAt = (file: string): string => `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { openSync } = fs;
fs.openSync = (path, ...options) => {
  if (path === ${JSON.stringify(file)}) process.kill(process.pid, "SIGTERM");
  return openSync(path, ...options);
};
syncBuiltinESMExports();
`;

/** A daemon that drops, while its archive does not answer. Each letter is begun and in doubt then, and none is gone. */
async function stopWithHungDisk(): Promise<End> {
  const stage = await setUp(soon);
  const { folder } = stage.setup;
  const bodies = stage.seed(20);
  const document = readFileSync(join(folder.path, "drains.yaml"), "utf8")
    .replace("sources:", `archive: { dir: ${join(folder.path, "archive")} }\nsources:`)
    .replace("then: republish", "then: drop");
  folder.write("drains.yaml", document);
  const pipe = join(folder.path, "pipe");
  execFileSync("mkfifo", [pipe]);
  const stall = folder.write("stall.mjs", stalledDisk(pipe));
  const daemon = await startDaemon({ ...stage.setup.env, NODE_OPTIONS: `--import ${stall}` });
  await daemon.line(({ event }) => event === "test:stalled");
  daemon.child.kill("SIGTERM");
  const end = await endOf(daemon);
  expect(stage.emulator.dlq.size).toBe(bodies.length);
  expect(await ledgerOf(stage).summary()).toMatchObject({ open: bodies.length, pendingDelete: 0 });
  return end;
}

async function stopWhileUnanswered(operation: "list" | "batch" | "delete"): Promise<End> {
  const stage = await setUp(soon);
  const bodies = stage.seed(20);
  const daemon = await stalledAt(stage, operation);
  daemon.child.kill("SIGTERM");
  const end = await endOf(daemon);
  expect(daemon.log.find(({ event }) => event === "daemon:stopped")).toMatchObject({ clean: true });
  expect(await acceptedAndKnown(stage, bodies), operation).toBe(operation === "list" ? 0 : 20);
  return end;
}

async function stopWithHalfOpenRedis(): Promise<End> {
  const { proxy, url } = await proxied();
  const stage = await setUp(soon, url);
  const bodies = stage.seed(20);
  const daemon = await stalledAt(stage, "batch");
  proxy.swallow();
  daemon.child.kill("SIGTERM");
  const end = await endOf(daemon);
  expect(await acceptedAndKnown(stage, bodies)).toBe(20);
  return end;
}

async function stopBeforeRedis(url: string): Promise<End> {
  const stage = await setUp(soon, url);
  const daemon = await startDaemon(stage.setup.env);
  daemon.child.kill("SIGTERM");
  const end = await endOf(daemon);
  expect(stage.emulator.journal.entries("request")).toEqual([]);
  return end;
}

async function stopBeforeSettings(): Promise<End> {
  const { setup, emulator } = await setUp(soon);
  const settings = setup.folder.write("settings.yaml", "{}");
  const stop = setup.folder.write("stop.mjs", stopAt(settings));
  const given = { REDRIVER_CONFIG_FILE: settings, NODE_OPTIONS: `--import ${stop}` };
  const end = await endOf(start(["run"], { ...setup.env, ...given }));
  expect(emulator.journal.entries("request")).toEqual([]);
  return end;
}

async function stopTwice(first: NodeJS.Signals, second: NodeJS.Signals): Promise<End> {
  const stage = await setUp(late);
  const bodies = stage.seed(20);
  const daemon = await stalledAt(stage, "batch");
  daemon.child.kill(first);
  await daemon.line(({ event }) => event === "daemon:stopping");
  daemon.child.kill(second);
  const end = await endOf(daemon);
  expect(await acceptedAndKnown(stage, bodies)).toBe(20);
  return end;
}

/** Side by side, because what they do is mostly wait. */
describe("a daemon that is told to stop", () => {
  it("ends with 0 while a call is not answered, and what is in doubt is in the ledger", async () => {
    const ends = await Promise.all([
      stopWhileUnanswered("list"),
      stopWhileUnanswered("batch"),
      stopWhileUnanswered("delete"),
    ]);
    expect(ends).toEqual([0, 0, 0]);
  });

  it("ends with 0 at its deadline where Redis is half open, and is killed where its disk hangs", async () => {
    const ends = await Promise.all([stopWithHalfOpenRedis(), stopWithHungDisk()]);
    expect(ends).toEqual([0, "SIGKILL"]);
  });

  it("ends with 0 before it has read its settings, and before Redis was ever reached", async () => {
    const { proxy, url } = await proxied();
    proxy.swallow();
    expect(await Promise.all([stopBeforeSettings(), stopBeforeRedis(url)])).toEqual([0, 0]);
  });

  it("twice ends at once by the second signal, and what is in doubt is in the ledger", async () => {
    const ends = await Promise.all([stopTwice("SIGINT", "SIGTERM"), stopTwice("SIGTERM", "SIGINT")]);
    expect(ends).toEqual(["SIGTERM", "SIGINT"]);
  });
});
