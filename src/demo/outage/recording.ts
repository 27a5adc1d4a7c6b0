import type { HostFacts, Try } from "./host-facts.ts";
import { stateAt, toTriedBursts } from "./narrate.ts";
import { timeScale, toName } from "./stage.ts";
import type { HostOutageResult } from "./host-outage-story.ts";

/**
 * One outage, second by second, as `--record` keeps it. Seconds are those of the run, from when the host went
 * down.
 */
export interface Recording {
  /** How many seconds outside one of them stands for. */
  readonly timeScale: number;
  readonly down: string;
  readonly other: string;
  /** When the host had recovered. */
  readonly backAtS: number;
  /** What its lane did. */
  readonly moves: readonly { readonly atS: number; readonly to: string; readonly size: number }[];
  /** Canaries, probes and steps: what went to it together while its lane was not open. */
  readonly bursts: readonly {
    readonly atS: number;
    readonly untilS: number;
    readonly state: string;
    readonly sent: number;
    readonly cameBack: number;
  }[];
  /**
   * One for each second, the first is 0. Dead letters are those at its end, the rest is what happened in it.
   */
  readonly seconds: readonly RecordedSecond[];
}

export interface RecordedSecond {
  /** Of the host that was down, in the DLQ. */
  readonly deadLetters: number;
  /** Those of the other host. */
  readonly atOther: number;
  /** To the host that was down, by redriver; and the next two of these. */
  readonly sent: number;
  readonly delivered: number;
  readonly cameBack: number;
  /** Of its lane. */
  readonly state: string;
}

export function toRecording(result: HostOutageResult): Recording {
  const { downAt, backAt, down, other, hosts } = result;
  const moves = result.moves.filter(({ origin }) => origin === hosts.down);
  const toS = (at: number): number => Math.max(0, Math.round((at - downAt) / 100) / 10);
  const lastAt = down.depths.at(-1)?.at ?? downAt;
  const count = Math.ceil((lastAt - downAt) / 1_000) + 2;
  return {
    timeScale,
    down: toName(hosts.down),
    other: toName(hosts.other),
    backAtS: toS(backAt),
    moves: moves.map(({ at, to, size }) => ({ atS: toS(at), to, size })),
    bursts: toTriedBursts(down.tries, moves).map(({ at, lastAt, state, tries }) => ({
      atS: toS(at),
      untilS: toS(lastAt),
      state,
      sent: tries.length,
      cameBack: tries.filter(({ outcome }) => outcome === "came back").length,
    })),
    seconds: Array.from({ length: count }, (_, second) => toSecond(second)),
  };

  function toSecond(second: number): RecordedSecond {
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
