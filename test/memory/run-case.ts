import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Guard } from "../rig/guard.ts";
import { startChild, type Child } from "../rig/child.ts";
import { publishedTwice } from "../rig/outcome.ts";
import { watchPeak } from "../rig/peak.ts";
import { builtProgram } from "../rig/program.ts";
import { startStack } from "../rig/stack.ts";
import { toDocument, type Case } from "./cases.ts";
import { createMemoryGroup } from "./cgroup.ts";
import { toRecord } from "./letters.ts";
import { shipped } from "./manifest.ts";

export interface CaseRun {
  readonly dir: string;
  readonly guard: Guard;
}

export interface CaseResult {
  readonly case: Case;
  /** Of the daemon, and of the largest `plan`. */
  readonly peakBytes: number;
  readonly planPeakBytes: number;
  /** Of all in the group at once, as far as the kernel cannot take it back; null without a group. */
  readonly groupPeakBytes: number | null;
  /** How the daemon ended although nobody made it. */
  readonly died: string | null;
  readonly planDied: string | null;
  readonly delivered: number;
  /** Bodies that were published again while the message before was not back: arrivals do not tell, as the service delivers at least once. */
  readonly doubled: number;
  readonly broken: number;
  readonly tookMs: number;
}

type Limited = Child & { peakBytes(): number };

const withinMs = 400_000;

export async function runCase(run: CaseRun, given: Case): Promise<CaseResult> {
  const { guard } = run;
  const dir = join(run.dir, given.name.replaceAll(/\W+/g, "-"));
  const group = createMemoryGroup(`redriver-memory-${process.pid}`, shipped.limitBytes);
  const stack = await startStack({
    dir,
    guard,
    replicas: 0,
    emulatorEnv: { NODE_OPTIONS: "--max-old-space-size=8192" },
    document: () => toDocument(given.document),
    env: {
      NODE_OPTIONS: shipped.nodeOptions,
      REDRIVER_SWEEP_EVERY: "2s",
    },
    onCrash: () => undefined,
  });
  const { emulator, receiver } = stack;
  const processes: Limited[] = [];
  const start = (args: readonly string[], log: string): Limited => {
    const child = startChild({
      args: [builtProgram, ...args],
      env: stack.env,
      logFile: join(dir, log),
      guard,
      procsFile: group?.procsFile,
    });
    const one = { ...child, peakBytes: watchPeak(child) };
    processes.push(one);
    return one;
  };
  try {
    await emulator.control("PATCH", "/settings", { maxMessageBytes: 52_428_800 });
    await emulator.seed(
      given.letters.map((letter, index) => toRecord(letter, `${receiver.url}/orders`, given.text, index)),
    );
    const startedAt = performance.now();
    const daemon = start(["run"], "daemon.log");
    let plan: Limited | null = null;
    let planPeak = 0;
    let planDied: string | null = null;
    let groupPeak = 0;
    let isDone = false;
    while (!isDone && daemon.isRunning() && performance.now() - startedAt < withinMs) {
      // Again and again in the same group.
      if (planDied === null && (plan === null || !plan.isRunning())) {
        plan = start(["plan", "--all", "--json"], "plan.log");
        const started = plan;
        void (async () => {
          const how = await started.ended;
          planPeak = Math.max(planPeak, started.peakBytes());
          if (how !== 0) planDied ??= String(how);
        })();
      }
      groupPeak = Math.max(groupPeak, group?.usedBytes() ?? 0);
      await delay(50);
      const arrived = new Set((await receiver.arrivals()).map(({ id }) => id));
      isDone = arrived.size >= given.letters.length && (await emulator.state()).dlqSize === 0;
    }
    const tookMs = performance.now() - startedAt;
    if (plan?.isRunning()) {
      planPeak = Math.max(planPeak, plan.peakBytes());
      const before = planDied;
      plan.process.kill("SIGTERM");
      await plan.ended;
      planDied = before;
    }
    const died = daemon.isRunning() ? null : String(await daemon.ended);
    if (died === null) {
      daemon.process.kill("SIGTERM");
      await daemon.ended;
    }
    const arrivals = await receiver.arrivals();
    const arrived = new Set(arrivals.map(({ id }) => id));
    const bytes = new Map(arrivals.map((one) => [one.id, one.bytes]));
    return {
      case: given,
      peakBytes: daemon.peakBytes(),
      planPeakBytes: planPeak,
      groupPeakBytes: group === null ? null : groupPeak,
      died,
      planDied,
      delivered: given.letters.filter(({ id }) => arrived.has(id)).length,
      doubled: publishedTwice(await emulator.journal("accepted"), await emulator.journal("dead-lettered")),
      broken: given.letters.filter(({ id, bodyBytes }) => (bytes.get(id) ?? bodyBytes) !== bodyBytes).length,
      tookMs,
    };
  } finally {
    for (const one of processes) await one.kill();
    group?.remove();
    await stack.close();
  }
}
