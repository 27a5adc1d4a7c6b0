import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../contracts/clock.ts";
import type { DrainConfig, GuardConfig } from "../contracts/drains-document.ts";
import type { Events } from "../contracts/events.ts";
import type { GuardBook, GuardMemory, Guards, GuardStanding } from "../contracts/guards.ts";
import type { DrainName } from "../contracts/ids.ts";
import type { IndexReading, StatisticsStore } from "../contracts/index-statistics.ts";

/** Pages follow each other within milliseconds, readings within minutes. */
const maxAgeMs = 5_000;

export interface GuardParts {
  readonly statistics: Pick<StatisticsStore, "readAll">;
  readonly book: GuardBook;
  readonly clock: Pick<Clock, "monotonic">;
  readonly events: Events;
  /** Makes the next pass a full one. Called before an opening is recorded: a crash repeats it. */
  readonly forceFull: (drain: DrainName) => Promise<void>;
}

export function createGuards(parts: GuardParts): Guards {
  const { clock } = parts;
  const latest = new Map<
    DrainName,
    { readonly config: DrainConfig; readonly at: number; readonly answer: Promise<readonly GuardStanding[]> }
  >();
  return {
    standings(config) {
      if (config.guards.length === 0) return Promise.resolve([]);
      const known = latest.get(config.name);
      if (known?.config === config && clock.monotonic() - known.at < maxAgeMs) return known.answer;
      const answer = look(parts, config);
      const asked = { config, at: clock.monotonic(), answer };
      latest.set(config.name, asked);
      answer.catch(() => {
        if (latest.get(config.name) === asked) latest.delete(config.name);
      });
      return answer;
    },
    async peek(config) {
      if (config.guards.length === 0) return [];
      return (await judgeAll(parts, config)).map(({ standing }) => standing);
    },
  };
}

async function judgeAll({ statistics, book }: GuardParts, { name, guards }: DrainConfig) {
  const [readings, memories] = await Promise.all([
    statistics.readAll([...new Set(guards.map(({ index }) => index))]),
    book.recall(name, guards.map(nameOf)),
  ]);
  return guards.map((guard, position) => {
    const before = memories[position] ?? null;
    const reading = readings.find(({ index }) => index === guard.index);
    return { guard, before, ...judge(guard, reading, before) };
  });
}

async function look(parts: GuardParts, config: DrainConfig): Promise<readonly GuardStanding[]> {
  const { name } = config;
  const judged = await judgeAll(parts, config);
  const wasHeld = judged.some(({ before }) => before?.effect === "closed");
  const isHeld = judged.some(({ memory }) => memory.effect === "closed");
  if (wasHeld && !isHeld) await parts.forceFull(name);
  for (const { guard, before, memory, standing } of judged) {
    if (isDeepStrictEqual(before, memory)) continue;
    const replaced = await parts.book.record(name, nameOf(guard), memory);
    if (replaced === null || replaced === memory.effect) continue;
    const { effect, ...change } = standing;
    parts.events.emit({
      type: effect === "closed" ? "guard:closed" : "guard:opened",
      drain: name,
      ...change,
    });
  }
  return judged.map(({ standing }) => standing);
}

/** The state of a guard by its last reading. Pure. */
export function judge(
  guard: GuardConfig,
  reading: IndexReading | undefined,
  before: GuardMemory | null,
): { readonly memory: GuardMemory; readonly standing: GuardStanding } {
  const { index, field } = guard;
  const was = before ?? { state: "open", readAt: 0 };
  const value = reading?.summary.scalars[field];
  if (reading === undefined || value === undefined) {
    const effect = guard.whenStale === "hold" ? "closed" : "open";
    return {
      memory: { state: was.state, effect, readAt: was.readAt },
      standing: { index, field, effect, why: "stale", value: null },
    };
  }
  const state = matches(guard.hold, value) ? "closed" : matches(guard.resume, value) ? "open" : was.state;
  return {
    memory: { state, effect: state, readAt: Math.max(was.readAt, reading.readAt) },
    standing: { index, field, effect: state, why: "reading", value },
  };
}

function matches({ from, to }: GuardConfig["hold"], value: number): boolean {
  return value >= from && value <= to;
}

/** An edited guard starts anew: its state answered another question. */
function nameOf({ index, field, hold, resume }: GuardConfig): string {
  return [index, field, ...[hold, resume].map(({ from, to }) => `${from}..${to}`)].join(" ");
}
