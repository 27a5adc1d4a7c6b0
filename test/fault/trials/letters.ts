import type { SeedRecord } from "../../../dev/emulator/index.ts";
import { createHash } from "node:crypto";
import { bodyOf, hourMs, type Letter } from "../../rig/letters.ts";
import { createDice } from "../../rig/dice.ts";

/**
 * How the service receives a message: not at all in a batch (`binary`, `redacted`, `callback`), as any other, with a refusal of its whole batch, or of its own item. A deadly one
 * ends the process that works it, where deadly.ts is loaded.
 */
export type Kind = "plain" | "poison" | "refused" | "deadly" | "binary" | "redacted" | "callback";

/** Stands in the body, for the faults of the emulator to go by. */
export const markOf = (kind: Kind): string => `"${idOf(kind, "")}`;

/** Of all dead letters of a trial, from 0. */
export type Shares = { readonly [Special in Exclude<Kind, "plain">]?: number };

export const isByService = ({ binary, redacted, callback }: Shares): boolean =>
  (binary ?? redacted ?? callback) !== undefined;

export interface TrialLetter extends Letter {
  readonly kind: Kind;
  readonly record: SeedRecord;
}

/**
 * 20,000 in five and a half hours. A full pass cuts them into windows by time: 217 with 92 of them each,
 * after 76 listings that found more.
 */
const apartMs = 1_000;
/** They have to be parked, and nothing else. */
const neverTaken: ReadonlySet<Kind> = new Set(["poison", "refused", "deadly"]);
/** No UTF-8. */
const noText = Buffer.from([0x00, 0xff, 0xfe, 0x80]);

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
  const special = Object.entries(shares).flatMap(([kind, share]) =>
    Array<Kind>(Math.round(share * count)).fill(kind as Kind),
  );
  const plain = Array<Kind>(count - special.length).fill("plain");
  const drawn = createDice(seed).shuffled([...special, ...plain]);
  return drawn.map((kind, index) => {
    const root = idOf(kind, String(index));
    const at = now - hourMs - (count - index) * apartMs;
    const dlqId = `${at}-${index + 1}`;
    const body = kind === "binary" ? Buffer.concat([Buffer.from(bodyOf(root)), noText]) : bodyOf(root);
    return {
      kind,
      dlqId,
      root,
      fate: neverTaken.has(kind) ? "stay" : "republish",
      bodySha256: createHash("sha256").update(body).digest("hex"),
      record: {
        dlqId,
        url: `${url}/hook`,
        // As it entered: from such records nobody can learn what the dates of the listing mean.
        createdAt: at,
        responseStatus: 503,
        maxRetries: 3,
        ...(typeof body === "string"
          ? { [kind === "redacted" ? "redactedBody" : "body"]: body }
          : { body: "", bodyBase64: body.toString("base64") }),
        ...(kind === "callback" ? { callback: `${url}/callback` } : {}),
      },
    };
  });
}

/** Not the receiver's own word for what it refuses. */
function idOf(kind: Kind, number: string): string {
  return kind === "poison" ? `whole-${number}` : `${kind}-${number}`;
}
