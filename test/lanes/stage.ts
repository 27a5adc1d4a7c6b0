import { join } from "node:path";
import { toRecords, type LetterBatch } from "../rig/letters.ts";
import { startStack, type Stack } from "../rig/stack.ts";
import { toDocument, type DrainChanges } from "./document.ts";
import { minuteMs, secondMs, type TimeScale } from "./time-scale.ts";
import type { World } from "./world.ts";

/** What a daemon said of a lane. */
export interface Move {
  /** Unix ms. */
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

/** A stack with the shipped defaults, at the scale of its world. */
export interface Stage extends Stack {
  seed(batch: LetterBatch): Promise<void>;
  /** What the daemons said so far. For figures that nobody else can report. */
  moves(): readonly Move[];
}

export interface StageOptions {
  readonly name: string;
  readonly receivers?: number;
  readonly replicas?: number;
  readonly drain?: DrainChanges;
  /** Another scale than the run's. */
  readonly scale?: TimeScale;
  readonly isRedisKept?: boolean | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** More arguments of the emulator. */
  readonly emulatorArgs?: readonly string[];
  /** Called with each line that a daemon wrote. */
  readonly onLine?: (line: string) => void;
}

export async function startStage(world: World, options: StageOptions): Promise<Stage> {
  const { scale = world.scale, name } = options;
  const { guard, say } = world;
  const ms = (realMs: number): string => `${Math.round(scale.here(realMs))}ms`;
  const changes: DrainChanges = { ...options.drain, ...(world.withoutLanes ? { lane: "none" } : {}) };
  const moves: Move[] = [];
  const stack = await startStack({
    guard,
    dir: join(world.dir, name),
    receivers: options.receivers ?? 1,
    replicas: options.replicas ?? 1,
    isRedisKept: options.isRedisKept,
    emulatorArgs: [
      "--seed",
      "1",
      "--retry-scale",
      (1 / scale.factor).toFixed(6),
      ...(options.emulatorArgs ?? []),
    ],
    document: (archiveDir) => toDocument(scale, archiveDir, changes),
    env: {
      REDRIVER_SWEEP_EVERY: ms(15 * secondMs),
      REDRIVER_PASSES_OVERLAP: ms(2 * minuteMs),
      ...options.env,
    },
    onLine: (_daemon, line) => {
      options.onLine?.(line);
      const move = toMove(line);
      if (move !== null) moves.push(move);
    },
    onCrash: (_daemon, how) => say(`${name}: a daemon ${how}`),
  });
  const { emulator } = stack;
  return {
    ...stack,
    seed: async (batch) => emulator.seed(toRecords(batch, (await emulator.state()).now)),
    moves: () => [...moves],
  };
}

function toMove(line: string): Move | null {
  if (!line.includes('"lane:moved"')) return null;
  const { from, to, why } = JSON.parse(line) as Readonly<Record<"from" | "to" | "why", string>>;
  return { at: Date.now(), from, to, why };
}
