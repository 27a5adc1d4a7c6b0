/** A command beside a daemon, and the same one in its own process, in turn. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { shipped } from "../../memory/manifest.ts";
import { atMost, shown, type Figure } from "../../rig/figures.ts";
import { startStack } from "../../rig/stack.ts";
import { toDocument } from "../stand/document.ts";
import { median } from "../timing.ts";
import type { World } from "./world.ts";

const rounds = 20;
const commands = {
  "pause --all": { args: ["pause", "--all", "--reason", "bench"], besideMs: 300, alone: 1_000 },
  status: { args: ["status"], besideMs: 350, alone: null },
} as const;
const besideMb = 60;

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly said: string;
}

/** What a process took from its start to its end, by itself. */
const report = `data:text/javascript,import { readFileSync, writeSync } from "node:fs";
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const [, kb] = /VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"));
  writeSync(3, JSON.stringify({ cpuMs: (user + system) / 1e3, peakMb: (kb * 1024) / 1e6 }));
})`.replaceAll("\n", "");

export async function beside({ stand, common }: World): Promise<readonly Figure[]> {
  const dir = join(stand.dir, "beside");
  const path = join(dir, "own", "redriver.sock");
  const stack = await startStack({
    dir,
    guard: stand.guard,
    program: stand.program,
    document: () => toDocument({ schedule: "{ every: 30s, full: 30m }" }),
    env: { NODE_OPTIONS: shipped.nodeOptions, ...common.env, REDRIVER_SOCKET_PATH: path },
    onCrash: () => undefined,
  });
  try {
    await stack.startDaemons();
    const figures: Figure[] = [];
    for (const [name, { args, besideMs, alone }] of Object.entries(commands)) {
      const costs: Record<"beside" | "alone", Cost[]> = { beside: [], alone: [] };
      for (let round = -2; round < rounds; round += 1) {
        for (const [where, socket] of [
          ["beside", path],
          ["alone", "none"],
        ] as const) {
          const env = { ...stack.env, REDRIVER_SOCKET_PATH: socket };
          const cost = await run([stand.program, ...args, "--verbose"], env);
          const isBeside = cost.said.includes("answered by the daemon");
          if (isBeside !== (where === "beside")) throw new Error(`${name}, ${where}: ${cost.said}`);
          if (round >= 0) costs[where].push(cost);
        }
      }
      const of = (where: "beside" | "alone", what: "wallMs" | "cpuMs" | "peakMb"): number =>
        median(costs[where].map((cost) => cost[what]));
      figures.push(
        atMost(`${name} beside a daemon: ms`, of("beside", "wallMs"), besideMs),
        shown(`${name} beside a daemon: ms of CPU`, of("beside", "cpuMs").toFixed(0)),
        atMost(`${name} beside a daemon: MB at its peak`, of("beside", "peakMb"), besideMb),
        alone === null
          ? shown(`${name} without one: ms`, of("alone", "wallMs").toFixed(0))
          : atMost(`${name} without one: ms`, of("alone", "wallMs"), alone),
        shown(
          `${name} without one: ms of CPU, MB`,
          `${of("alone", "cpuMs").toFixed(0)}, ${of("alone", "peakMb").toFixed(0)}`,
        ),
      );
    }
    return figures;
  } finally {
    await stack.close();
  }
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Cost> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["--import", report, ...args], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const [[code], said, cost] = await Promise.all([
    once(child, "exit"),
    text(child.stderr!),
    text(child.stdio[3] as NodeJS.ReadableStream),
  ]);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${said}`);
  return {
    wallMs: performance.now() - startedAt,
    ...(JSON.parse(cost) as Omit<Cost, "wallMs" | "said">),
    said,
  };
}
