import { setTimeout as delay } from "node:timers/promises";
import { createSecrets } from "../rig/secrets.ts";
import { createBookkeeping, type Bookkeeping } from "./bookkeeping.ts";
import { createDice } from "../rig/dice.ts";
import { times } from "./document.ts";
import { toPlan, type PlannedAct } from "./plan.ts";
import { startStand, type Stand } from "./stand.ts";
import type { Figure } from "../rig/figures.ts";
import { toFigures } from "./report.ts";
import { waitUntil } from "../rig/wait.ts";
import type { TurnedUp } from "../rig/turned-up.ts";
import { stallLimitMs, type Excuse, type Obstacles } from "./waits.ts";

export interface SoakOptions {
  readonly seed: number;
  readonly durationMs: number;
  readonly dir: string;
  readonly turnedUp: TurnedUp;
  /** Called with what is done, a line each. */
  readonly say: (line: string) => void;
}

const daemons = 3;
/** Time for what could be waiting longest, and to see that nothing does. */
const calmMs = stallLimitMs + 10_000;
const lookEveryMs = 250;
const trickleEveryMs = 400;
const drainedWithinMs = 180_000;

/**
 * Breaks what a plan says for as long as it lasts, then lets everything drain, and judges. Rejects where the
 * soak itself fails.
 */
export async function runSoak(options: SoakOptions): Promise<readonly Figure[]> {
  const { seed, durationMs, say } = options;
  let standing: Stand | null = null;
  const known = (): Stand => {
    if (standing === null) throw new Error("the stand is not there yet");
    return standing;
  };
  const secrets = createSecrets();
  const books = createBookkeeping(known, secrets);
  const ending = new AbortController();
  standing = await startStand({
    ...options,
    daemons,
    secrets,
    onLine: (daemon, line, from) => books.log.line(daemon, line, from),
    onCrash: (daemon, how) => books.judge.broken("crashed", `daemon ${daemon} ${how}`),
    onEnd: (daemon) => books.log.ended(daemon),
  });
  const stand = standing;
  const whole = toPlan({ seed, durationMs, calmMs, daemons });
  const isPossible = ({ name }: PlannedAct): boolean => stand.clock !== null || name !== "shift-clock";
  const plan = { ...whole, acts: whole.acts.filter(isPossible) };
  const obstacles = createObstacles(stand, books);
  const stop = new AbortController();
  let said = 0;
  const sayViolations = (): void => {
    for (const { rule, text, at } of books.judge.violations.slice(said)) {
      say(`VIOLATION ${rule}: ${text} (${at})`);
      said += 1;
    }
  };
  try {
    if (stand.clock === null) {
      say("NO SHIFTED CLOCKS: Debian's package faketime is not installed (apt-get install faketime)");
    }
    for (const daemon of stand.daemons) daemon.start();
    await waitUntil("the daemons", () => stand.daemons.every((one) => one.address() !== null), 30_000);
    const startedAt = performance.now();
    say(`${plan.acts.length} acts in ${plan.storms.length} storms, seed ${seed}`);

    const trickling = trickle(stand, books, seed, stop.signal);
    const looking = (async () => {
      while (!ending.signal.aborted) {
        await books.look(obstacles.present());
        sayViolations();
        await delay(lookEveryMs);
      }
    })();
    const acting = Promise.all(plan.acts.map((act) => perform(act, startedAt)));
    await Promise.race([acting, looking]);
    await delay(Math.max(0, durationMs - (performance.now() - startedAt)));
    stop.abort();
    await trickling;

    say("nothing is broken any more; draining");
    const drainedAt = performance.now();
    await waitUntil(
      "everything to be settled",
      () => !obstacles.present().isBroken && books.progress.waiting === 0 && stand.emulator.pending === 0,
      drainedWithinMs,
    ).catch((error: unknown) => books.judge.broken("stalled", String(error)));
    const drainMs = performance.now() - drainedAt;
    await stand.emulator.idle();
    for (const daemon of stand.daemons) {
      if (!(await daemon.terminate())) books.judge.broken("crashed", "a daemon did not end after SIGTERM");
    }
    ending.abort();
    await looking;
    await books.conclude();
    sayViolations();
    return toFigures({ plan, books, stand, drainMs });
  } finally {
    ending.abort();
    stop.abort();
    await stand.close();
  }

  async function perform(planned: PlannedAct, startedAt: number): Promise<void> {
    const { at, forMs, name, details = {}, losesWrites } = planned;
    const until = (ms: number): Promise<void> => delay(Math.max(0, ms - (performance.now() - startedAt)));
    await until(at);
    const done = obstacles.begin();
    try {
      say(
        `${(at / 1_000).toFixed(1)} s ${name} for ${(forMs / 1_000).toFixed(1)} s ${JSON.stringify(details)}`,
      );
      const undo = await planned.begin(stand, books);
      await until(at + forMs);
      await undo?.();
      if (losesWrites === true) obstacles.lostWrites();
    } finally {
      done();
    }
  }
}

/** What is in the way of progress. */
function createObstacles(stand: Stand, books: Bookkeeping) {
  let acts = 0;
  let schedulesBy = 0;
  return {
    begin(): () => void {
      acts += 1;
      return () => {
        acts -= 1;
      };
    },
    lostWrites(): void {
      schedulesBy = Date.now() + times.scheduleEvery;
    },
    present(): Obstacles {
      const now = Date.now();
      // What a daemon that has halted the source takes of the work waits for another one, or for the end of
      // the halt.
      const excuses = [...new Set(books.log.halted.values())].map((code): Excuse => ({
        why: `source halted by a daemon: ${code}`,
        until: now,
      }));
      if (schedulesBy > now) excuses.push({ why: "schedules lost with Redis", until: schedulesBy });
      return { isBroken: acts > 0 || stand.daemons.some((daemon) => daemon.address() === null), excuses };
    },
  };
}

async function trickle(stand: Stand, books: Bookkeeping, seed: number, stop: AbortSignal): Promise<void> {
  const dice = createDice(seed + 2);
  while (!stop.aborted) {
    books.born(Array.from({ length: dice.whole(1, 4) }, () => stand.letters.make(Date.now())));
    await delay(trickleEveryMs, undefined, { signal: stop }).catch(() => undefined);
  }
}
