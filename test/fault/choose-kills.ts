import { createDice } from "../rig/dice.ts";
import { countBy } from "../rig/outcome.ts";
import { killKinds, type Kill, type KillKind } from "./kill.ts";

/** What a daemon does at its beginning is its work; the many passings after that are those of idle ticks. */
const latestPassing = 8;

/** The kinds of ten kills in a row, while no failpoint has had one yet. */
const firstKinds: readonly KillKind[] = [
  ...Array.from({ length: 6 }, () => "kill" as const),
  "kill-twice",
  "kill-twice",
  "stop",
  "stop-twice",
];

/**
 * Where a recovery does what only it does, or ends what was begun: of these the second death is drawn where
 * there are any.
 */
const recovering =
  /^sweep\/|\/(archive|disk|diskFile|copies|service\.remove|ledger\.(published|archived|gone|deleteFailed))\b/;

/** How often each failpoint was passed, in the order of their first passing. */
export const countPassings = (passed: readonly string[]): ReadonlyMap<string, number> =>
  countBy(passed, (name) => name);

/**
 * Chooses kills, the same for the same seed and record: in rounds in which every failpoint comes once, each
 * time at another passing of it, until all were had. In the first round most are single deaths; in the others
 * each failpoint gets the kind that it had least often.
 */
export function chooseKills(passed: readonly string[], kills: number, seed: number): readonly Kill[] {
  const passings = countPassings(passed);
  const { shuffled, pick } = createDice(seed);
  const rest = new Map<string, number[]>();
  const had = new Map<string, KillKind[]>();
  const chosen: Kill[] = [];
  const names = [...passings.keys()].toSorted();
  let deck: KillKind[] = [];

  const passingOf = (name: string): number => {
    const left = rest.get(name) ?? [];
    if (left.length === 0) left.push(...shuffled(upTo(Math.min(passings.get(name) ?? 1, latestPassing))));
    rest.set(name, left);
    return left.pop() ?? 1;
  };
  const kindOf = (name: string): KillKind => {
    const before = had.get(name) ?? [];
    if (before.length === 0 && deck.length === 0) deck = shuffled(firstKinds);
    const kind = (before.length === 0 ? deck.pop() : leastOften(before, shuffled(killKinds))) ?? "kill";
    had.set(name, [...before, kind]);
    return kind;
  };
  while (chosen.length < kills && names.length > 0) {
    for (const name of shuffled(names).slice(0, kills - chosen.length)) {
      const kind = kindOf(name);
      const passing = passingOf(name);
      const crash = pick(["process", "power"] as const);
      const again = shuffled(ahead(passed, name, passing))[0];
      chosen.push({
        kind,
        failpoint: `${name}#${passing}`,
        crash: kind === "kill" || kind === "kill-twice" ? crash : "process",
        ...(kind === "kill-twice" && again !== undefined ? { again: `${again}#1` } : {}),
      });
    }
  }
  return chosen;
}

/**
 * Where a recovery comes by that follows this death: what was passed later in the record is still to be done.
 */
function ahead(passed: readonly string[], name: string, passing: number): readonly string[] {
  let left = passing;
  const at = passed.findIndex((one) => one === name && (left -= 1) === 0);
  const later = new Set(passed.slice(at + 1));
  const names = [...new Set(passed)];
  const choices = [
    names.filter((one) => later.has(one) && recovering.test(one)),
    names.filter((one) => later.has(one)),
    names,
  ];
  return choices.find((choice) => choice.length > 0) ?? [];
}

function leastOften(before: readonly KillKind[], kinds: readonly KillKind[]): KillKind | undefined {
  const times = countBy(before, (kind) => kind);
  return kinds.toSorted((one, other) => (times.get(one) ?? 0) - (times.get(other) ?? 0))[0];
}

function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
