import type { SeedRecord } from "../../../dev/emulator/index.ts";
import { bodyOf, hourMs, sha256Of, type Letter } from "../../rig/letters.ts";
import { createDice } from "../../rig/dice.ts";

/**
 * How the service receives a message: as any other, with a refusal of its whole batch, or of its own item. A deadly one
 * ends the process that works it, where deadly.ts is loaded.
 */
export const kinds = ["plain", "poison", "refused", "deadly"] as const;
export type Kind = (typeof kinds)[number];

/** Stands in the body, for the faults of the emulator to go by. */
export const markOf = (kind: Kind): string => `"${idOf(kind, "")}`;

/** What the service never takes: `poison` with its whole batch. They have to be parked, and nothing else. */
export interface Shares {
  readonly poison?: number;
  readonly refused?: number;
  readonly deadly?: number;
}

export interface TrialLetter extends Letter {
  readonly kind: Kind;
  readonly record: SeedRecord;
}

/**
 * 20,000 in five and a half hours. A full pass cuts them into windows by time: 217 with 92 of them each,
 * after 76 listings that found more.
 */
const apartMs = 1_000;

/**
 * The same for the same seed but for their times. Of each kind exactly its share, spread by the dice. `now`:
 * Unix ms.
 */
export function makeLetters(options: {
  readonly seed: number;
  readonly count: number;
  readonly shares: Shares;
  readonly url: string;
  readonly now: number;
}): readonly TrialLetter[] {
  const { seed, count, shares, url, now } = options;
  const { poison = 0, refused = 0, deadly = 0 } = shares;
  const special = Object.entries({ poison, refused, deadly }).flatMap(([kind, share]) =>
    Array<Kind>(Math.round(share * count)).fill(kind as Kind),
  );
  const plain = Array<Kind>(count - special.length).fill("plain");
  const drawn = createDice(seed).shuffled([...special, ...plain]);
  return drawn.map((kind, index) => {
    const root = idOf(kind, String(index));
    const at = now - hourMs - (count - index) * apartMs;
    const dlqId = `${at}-${index + 1}`;
    return {
      kind,
      dlqId,
      root,
      fate: kind === "plain" ? "republish" : "stay",
      bodySha256: sha256Of(root),
      record: {
        dlqId,
        url: `${url}/hook`,
        // As it entered: from such records nobody can learn what the dates of the listing mean.
        createdAt: at,
        responseStatus: 503,
        maxRetries: 3,
        body: bodyOf(root),
      },
    };
  });
}

/** Not the receiver's own word for what it refuses. */
function idOf(kind: Kind, number: string): string {
  return kind === "poison" ? `whole-${number}` : `${kind}-${number}`;
}
