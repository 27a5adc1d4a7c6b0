import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startEmulatorProcess } from "../rig/emulator-process.ts";
import type { Guard } from "../rig/guard.ts";
import { createRedisServers } from "../support/redis-servers.ts";
import { toDocument, type Case } from "./cases.ts";
import { createMemoryGroup } from "./cgroup.ts";
import { toRecord } from "./letters.ts";
import { startLimited, type LimitedProcess } from "./limited-process.ts";
import type { Shipped } from "./manifest.ts";
import { startReceiver } from "./receiver.ts";

export interface CaseRun {
  readonly program: string;
  readonly dir: string;
  readonly guard: Guard;
  readonly shipped: Shipped & { readonly budget: string };
  readonly withinMs: number;
}

export interface CaseResult {
  readonly case: Case;
  readonly isLimited: boolean;
  /** Of the daemon, and of the largest `plan`; null where none ran. */
  readonly peakBytes: number;
  readonly planPeakBytes: number | null;
  /** Of all in the group at once, as far as the kernel cannot take it back; null without a group. */
  readonly groupPeakBytes: number | null;
  /** How the daemon ended although nobody made it. */
  readonly died: string | null;
  readonly planDied: string | null;
  readonly plans: number;
  readonly delivered: number;
  readonly doubled: number;
  readonly broken: number;
  readonly tookMs: number;
}

const perSeedingBytes = 50_000_000;

export async function runCase(run: CaseRun, given: Case): Promise<CaseResult> {
  const { program, guard, shipped } = run;
  const dir = join(run.dir, given.name.replaceAll(/\W+/g, "-"));
  mkdirSync(dir, { recursive: true });
  const closing: (() => Promise<unknown> | void)[] = [];
  try {
    const servers = createRedisServers();
    closing.push(() => servers.stop());
    const redis = await servers.start();
    const receiver = await startReceiver();
    closing.push(() => receiver.close());
    const emulator = await startEmulatorProcess({
      program,
      guard,
      logFile: join(dir, "emulator.log"),
      args: ["--stop-with-parent"],
      env: { NODE_OPTIONS: "--max-old-space-size=8192" },
    });
    closing.push(() => emulator.close());
    await emulator.adjust({ maxMessageBytes: 52_428_800 });
    await seed(given, receiver.url, (records) => emulator.seed(records));

    const documentFile = join(dir, "drains.yaml");
    writeFileSync(documentFile, toDocument(given.document));
    const env = {
      NODE_OPTIONS: shipped.nodeOptions,
      REDRIVER_SERVICE_URL: emulator.url,
      REDRIVER_SERVICE_TOKEN: emulator.token,
      REDRIVER_REDIS_URL: redis.url,
      REDRIVER_DRAINS_FILE: documentFile,
      REDRIVER_HTTP_HOST: "127.0.0.1",
      REDRIVER_HTTP_PORT: "0",
      REDRIVER_SWEEP_EVERY: "2s",
      ...(run.shipped.budget === "auto" ? {} : { REDRIVER_MEMORY_BUDGET: run.shipped.budget }),
    };
    const group = createMemoryGroup(`redriver-memory-${process.pid}`, shipped.limitBytes);
    if (group !== null) closing.push(() => group.remove());
    const start = (args: readonly string[], log: string): LimitedProcess => {
      const one = startLimited({
        args: [program, ...args],
        env,
        logFile: join(dir, log),
        guard,
        group,
      });
      closing.push(async () => {
        one.kill();
        await one.ended;
      });
      return one;
    };

    const startedAt = performance.now();
    const daemon = start(["run"], "daemon.log");
    let plan: LimitedProcess | null = null;
    let planPeak = 0;
    let planDied: string | null = null;
    let plans = 0;
    let groupPeak = 0;
    let isDone = false;
    while (!isDone && daemon.isRunning() && performance.now() - startedAt < run.withinMs) {
      if (given.withPlan && planDied === null && (plan === null || !plan.isRunning())) {
        plan = start(["plan", "--all", "--json"], "plan.log");
        plans += 1;
        const started = plan;
        void (async () => {
          const how = await started.ended;
          planPeak = Math.max(planPeak, started.peakBytes());
          if (how !== 0) planDied ??= String(how);
        })();
      }
      groupPeak = Math.max(groupPeak, group?.usedBytes() ?? 0);
      await delay(50);
      isDone = receiver.arrivals().size >= given.letters.length && (await emulator.state()).dlqSize === 0;
    }
    const tookMs = performance.now() - startedAt;
    if (plan?.isRunning()) {
      plan.terminate();
      planPeak = Math.max(planPeak, plan.peakBytes());
      const before = planDied;
      await plan.ended;
      planDied = before;
    }
    const died = daemon.isRunning() ? null : String(await daemon.ended);
    if (died === null) {
      daemon.terminate();
      await daemon.ended;
    }
    const arrivals = receiver.arrivals();
    return {
      case: given,
      isLimited: group !== null,
      peakBytes: daemon.peakBytes(),
      planPeakBytes: plans === 0 ? null : planPeak,
      groupPeakBytes: group === null ? null : groupPeak,
      died,
      planDied,
      plans,
      delivered: given.letters.filter(({ id }) => arrivals.has(id)).length,
      doubled: [...arrivals.values()].filter(({ times }) => times > 1).length,
      broken: given.letters.filter(({ id, bodyBytes }) => {
        const arrival = arrivals.get(id);
        return arrival !== undefined && arrival.bytes !== bodyBytes;
      }).length,
      tookMs,
    };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function seed(
  { letters, text }: Case,
  url: string,
  add: (records: ReturnType<typeof toRecord>[]) => Promise<void>,
): Promise<void> {
  let batch: ReturnType<typeof toRecord>[] = [];
  let bytes = 0;
  for (const [index, letter] of letters.entries()) {
    batch.push(toRecord(letter, url, text, index));
    bytes += letter.bodyBytes;
    if (bytes < perSeedingBytes) continue;
    await add(batch);
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) await add(batch);
}
