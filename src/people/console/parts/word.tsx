import type { Html } from "../screen.ts";

/** Words that are redriver's own, as a page explains them when somebody points at one. */
const meanings = {
  waiting: "in the dead letter queue, neither parked nor sent again yet",
  arrived: "dead letters that entered the queue",
  "sent again": "published again by redriver; the service then delivers it",
  "failed again": "sent again, and back in the dead letter queue",
  parked: "left alone until a person releases it or it expires",
  "expire in 24 h": "the service deletes these within a day if nobody sends them again",
  halted: "what was sent again failed again, so only single probes go until one is delivered",
  lane: "how much is sent to one destination at once: a few first, more if they are delivered",
  unproven:
    "sent, and no answer has shown yet what became of it: it is looked for before it would be sent again",
} as const;

export type OwnWord = keyof typeof meanings;

export function isOwnWord(text: string): text is OwnWord {
  return text in meanings;
}

export function Word({ word }: { readonly word: OwnWord }): Html {
  return <span title={meanings[word]}>{word}</span>;
}
