import type { SeedRecord } from "../../dev/emulator/index.ts";
import { createDice } from "../rig/dice.ts";
import { sha256, type Fate, type Letter } from "../rig/letters.ts";
import { triedPath } from "./document.ts";

export interface MadeLetter extends Letter {
  readonly record: SeedRecord;
}

/** Texts that must never be seen outside the queue, the archive and the receiver. */
export interface Markers {
  readonly body: string;
  readonly header: string;
}

export const rootHeader = "X-Soak-Id";
export const retentionMs = 3 * 86_400_000;

type Make = (dice: ReturnType<typeof createDice>, text: string) => Partial<SeedRecord>;

const outage = [502, 503, 504, 500, undefined];

/** By weight. Statuses are what the rules of document.ts decide by. */
const kinds: readonly (readonly [weight: number, { readonly fate: Fate; readonly make: Make }])[] = [
  [50, { fate: "republish", make: (dice) => ({ responseStatus: dice.pick(outage) }) }],
  // Fails once more, and comes back.
  [12, { fate: "republish", make: (dice) => ({ responseStatus: dice.pick(outage), path: "flaky" }) }],
  // Two drains list these.
  [10, { fate: "republish", make: () => ({ responseStatus: 503, topicName: "orders" }) }],
  [12, { fate: "republish", make: (dice) => ({ responseStatus: dice.pick(outage), path: triedPath }) }],
  [5, { fate: "republish", make: () => ({ responseStatus: 503, queueName: "line" }) }],
  // Several segments: what cuts and stalls hits the middle of a body.
  [
    4,
    {
      fate: "republish",
      make: (dice, text) => ({
        responseStatus: 503,
        body: text.replace("}", `,"pad":"${"x".repeat(dice.whole(20_000, 300_000))}"}`),
      }),
    },
  ],
  [9, { fate: "drop", make: () => ({ responseStatus: 410 }) }],
  [3, { fate: "stay", make: () => ({ responseStatus: 418 }) }],
  [2, { fate: "stay", make: () => ({ responseStatus: 489 }) }],
  [2, { fate: "stay", make: () => ({ responseStatus: 422 }) }],
  [
    1,
    {
      fate: "stay",
      make: (_dice, text) => ({
        responseStatus: 503,
        body: "",
        bodyBase64: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text)]).toString("base64"),
      }),
    },
  ],
  [1, { fate: "stay", make: (_dice, text) => ({ responseStatus: 503, body: `REDACTED:${sha256(text)}` }) }],
  [1, { fate: "expire", make: () => ({ responseStatus: 422 }) }],
];

/** Letter n of a seed is the same in every run, but for its times. */
export function createLetterMaker(
  seed: number,
  receiverUrl: string,
  { body: bodyMarker, header: headerMarker }: Markers,
) {
  let made = 0;
  return {
    /** One more dead letter, which entered at `now` (Unix ms). */
    make(now: number): MadeLetter {
      const number = (made += 1);
      const dice = createDice(seed * 1_000_003 + number);
      const root = `m-${number}`;
      const text = JSON.stringify({ id: root, text: bodyMarker });
      const { fate, make } = dice.pickWeighted(kinds);
      const { path = "steady", body = text, ...fields } = make(dice, text);
      // Old enough to vanish by itself within two minutes.
      const ms = fate === "expire" ? now - retentionMs + dice.whole(45_000, 90_000) : now;
      const dlqId = `${ms}-${number}`;
      const record = {
        dlqId,
        url: `${receiverUrl}/${String(path)}`,
        header: {
          "Content-Type": ["application/json"],
          [rootHeader]: [root],
          "X-Soak-Note": [headerMarker],
        },
        body,
        maxRetries: dice.whole(0, 1),
        // Not the moment of entry, so that what the service's dates mean can be learned.
        createdAt: ms - dice.whole(1_000, 120_000),
        ...fields,
      };
      return { dlqId, root, fate, bodySha256: sha256(String(body)), isTried: path === triedPath, record };
    },
  };
}
