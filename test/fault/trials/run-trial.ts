import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { shown, type Figure } from "../../rig/figures.ts";
import { createDice } from "../../rig/dice.ts";
import type { Guard } from "../../rig/guard.ts";
import type { Say } from "../../rig/program.ts";
import { startStack, type Stack } from "../../rig/stack.ts";
import { createTrialBooks, type TrialBooks } from "./books.ts";
import { toDocument } from "./document.ts";
import { isByService, makeLetters, markOf } from "./letters.ts";
import { measure } from "./measure.ts";
import type { Trial } from "./trial.ts";

export interface RunOptions {
  readonly dir: string;
  readonly guard: Guard;
  readonly say: Say;
}

const seed = 1;
const deadly = join(import.meta.dirname, "deadly.js");
const endedByItself = "ended by itself: SIGKILL";
const lookEveryMs = 500;
const sayEveryMs = 15_000;
/** What nobody expects any more shows within this. */
const aftermathMs = 3_000;

/**
 * Plays one trial until it is done, or long beyond its time, and measures. Rejects where it could not be
 * played.
 */
export async function runTrial(trial: Trial, options: RunOptions): Promise<readonly Figure[]> {
  const dir = join(options.dir, trial.name);
  const say: Say = (line) => options.say(`${trial.name}: ${line}`);
  const books = createTrialBooks();
  const deaths: number[] = [];
  // The daemons have the settings as shipped, but for addresses.
  const stack = await startStack({
    ...options,
    dir,
    replicas: trial.replicas ?? 1,
    emulatorArgs: ["--seed", String(seed)],
    document: (archiveDir) => toDocument(archiveDir, isByService(trial.shares ?? {})),
    onEntry: books.read,
    onLine: books.line,
    env: trial.deadlyAt === undefined ? {} : { DEADLY: trial.deadlyAt, NODE_OPTIONS: `--import ${deadly}` },
    onCrash(daemon, how) {
      if (trial.deadlyAt === undefined || how !== endedByItself) {
        books.judge.broken("crashed", `daemon ${daemon} ${how}`);
        return;
      }
      deaths.push(Date.now());
      setImmediate(() => stack.daemons[daemon]?.start());
    },
    onEnd: (daemon) => books.log.ended(daemon),
  });
  try {
    await prepare(trial, stack, books);
    await stack.startDaemons();
    const startedAt = Date.now();
    const over = new AbortController();
    const meanwhile = trial.meanwhile?.({
      stack,
      books,
      say,
      dice: createDice(seed + 1),
      isOver: () => over.signal.aborted,
    });
    await untilDone(trial, books, startedAt, say);
    over.abort();
    await meanwhile;
    await delay(aftermathMs);
    await stack.stopDaemons();
    await endFaults(stack);
    await stack.emulator.journal("accepted");
    await books.conclude(stack);
    const figures = await measure({ trial, stack, books, startedAt });
    for (const { rule, text } of books.judge.violations.slice(0, 5)) say(`VIOLATION ${rule}: ${text}`);
    return [
      ...figures,
      ...(trial.deadlyAt === undefined ? [] : [shown("daemons that a letter ended", String(deaths.length))]),
    ];
  } finally {
    await stack.close();
  }
}

async function prepare(trial: Trial, stack: Stack, books: TrialBooks): Promise<void> {
  const { emulator, receiver } = stack;
  const { count, shares = {}, service, faults } = trial;
  const { now } = await emulator.state();
  const letters = makeLetters({ seed, count, shares, url: receiver.url, now });
  for (const letter of letters) books.judge.born(letter, Date.now());
  await emulator.seed(letters.map(({ record }) => record));
  if (service !== undefined) await emulator.control("PATCH", "/settings", service);
  const [poison, refused] = [markOf("poison"), markOf("refused")];
  for (const fault of [
    ...(shares.poison === undefined ? [] : [{ kind: "refuse-batch", bodyContains: poison }]),
    ...(shares.refused === undefined ? [] : [{ kind: "item-error", bodyContains: refused }]),
    ...faults,
  ]) {
    await emulator.control("POST", "/faults", fault);
  }
}

async function untilDone(
  trial: Trial,
  books: TrialBooks,
  startedAt: number,
  say: (line: string) => void,
): Promise<void> {
  const { bounds } = trial;
  const deadline = startedAt + 1_000 * (trial.watchedS ?? 2 * bounds.doneWithinS);
  let saidAt = startedAt;
  for (;;) {
    const { toPublish, toPark } = books.left();
    if (toPublish + toPark === 0 || Date.now() > deadline) return;
    const { refusedMayWaitAfterS = Infinity } = bounds;
    if (toPublish === 0 && Date.now() - startedAt >= 1_000 * refusedMayWaitAfterS) return;
    if (Date.now() - saidAt >= sayEveryMs) {
      saidAt = Date.now();
      const at = ((saidAt - startedAt) / 1_000).toFixed(0);
      say(`${at} s: ${toPublish} to publish or delete, ${toPark} to park`);
    }
    await delay(lookEveryMs);
  }
}

/** Nothing is to be in the way of the last look. */
async function endFaults({ emulator }: Stack): Promise<void> {
  await emulator.control("DELETE", "/faults");
  await emulator.control("PATCH", "/settings", { rateLimits: {} });
  await emulator.control("GET", "/idle?timeoutMs=60000");
}
