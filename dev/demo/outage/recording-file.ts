import type { HostFacts, Try } from "./replay-journal.ts";
import { stateAt, toTriedBursts } from "./bursts-of-tries.ts";
import { timeScale, toName } from "./outage-scenario.ts";
import type { HostOutageResult } from "./host-outage-story.ts";

export type Recording = ReturnType<typeof toRecording>;

/**
 * One outage, second by second, as `--record` keeps it. Seconds are those of the run, from when the host went
 * down.
 */
export function toRecording(result: HostOutageResult) {
  const { downAt, backAt, down, other, hosts } = result;
  const moves = result.moves.filter(({ origin }) => origin === hosts.down);
  const toS = (at: number): number => Math.max(0, Math.round((at - downAt) / 100) / 10);
  // On a slow machine a lane may open, or a message arrive, long after the last dead letter is deleted.
  const lastAt = Math.max(
    downAt,
    ...[down.depths, other.depths, moves].flatMap((inOrder) => inOrder.at(-1)?.at ?? []),
    ...down.tries.flatMap(({ endedAt }) => endedAt ?? []),
  );
  const count = Math.ceil((lastAt - downAt) / 1_000) + 2;
  return {
    /** How many seconds outside one of them stands for. */
    timeScale: timeScale as number,
    down: toName(hosts.down),
    other: toName(hosts.other),
    /** When the host had recovered. */
    backAtS: toS(backAt),
    moves: moves.map(({ at, to, size }) => ({ atS: toS(at), to, size })),
    /** Canaries, probes and steps: what went to it together while its lane was not open. */
    bursts: toTriedBursts(down.tries, moves).map(({ at, lastAt, state, tries }) => ({
      atS: toS(at),
      untilS: toS(lastAt),
      state,
      sent: tries.length,
      cameBack: tries.filter(({ outcome }) => outcome === "came back").length,
    })),
    /** One for each second, the first is 0. */
    seconds: Array.from({ length: count }, (_, second) => toSecond(second)),
  };

  /**
   * Dead letters are those at the end of the second. The rest happened in it to the host that was down, by
   * redriver, and the state is that of its lane.
   */
  function toSecond(second: number) {
    const from = downAt + second * 1_000;
    const to = from + 1_000;
    const within = (at: number | null): boolean => at !== null && at >= from && at < to;
    const ended = (outcome: Try["outcome"]): number =>
      down.tries.filter((tried) => tried.outcome === outcome && within(tried.endedAt)).length;
    return {
      deadLetters: depthAt(down, to),
      atOther: depthAt(other, to),
      sent: down.tries.filter(({ at }) => within(at)).length,
      delivered: ended("delivered"),
      cameBack: ended("came back"),
      state: stateAt(moves, to),
    };
  }
}

const depthAt = ({ depths }: HostFacts, at: number): number =>
  depths.findLast((depth) => depth.at < at)?.deadLetters ?? 0;

/** As JSON with a line for each entry, so that two recordings can be compared. */
export function toRecordingText(recording: Recording): string {
  const lines = Object.entries(recording).map(([key, value]) => {
    if (!Array.isArray(value)) return `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    const rows = value.map((row) => `    ${toRow(row as object)}`);
    return `  ${JSON.stringify(key)}: [\n${rows.join(",\n")}\n  ]`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}

const toRow = (row: object): string =>
  `{ ${Object.entries(row)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(", ")} }`;
