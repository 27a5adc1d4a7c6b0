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
  canary: "a few are sent first, to see whether they are delivered",
  ramping: "what was sent first was delivered, so each step sends ten times as many",
  open: "all that rules send there goes, within its limits",
  drop: "archived by a rule, then deleted: nothing of it is sent again",
  discard: "archived by a person's order, then deleted: nothing of it is sent again",
  lane: "how much is sent to one destination at once: a few first, more if they are delivered",
  unproven:
    "sent, and the service has not answered whether it took it: that is found out before it would be sent again",
} as const;

type OwnWord = keyof typeof meanings;

/** A text that may be such a word. */
export function OwnWords({ text }: { readonly text: string }): Html {
  return text in meanings ? <Word word={text as OwnWord} /> : <>{text}</>;
}

export function Word({ word, name }: Readonly<{ word: OwnWord; name?: string }>): Html {
  return (
    <span class={name} title={meanings[word]}>
      {word}
    </span>
  );
}
