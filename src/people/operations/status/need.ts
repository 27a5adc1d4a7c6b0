/** A thing that needs a person, as each face shows it. */
import type { LaneStanding } from "../../read/lane-standings.ts";
import { present } from "../phrases.ts";
import type { Prober } from "../lane-words.ts";

/** `bad`: a person is needed. `warn`: it waits. `good`: it drains. `calm`: there is nothing. */
export type Mood = "bad" | "warn" | "good" | "calm";

export type FirstAct =
  | {
      readonly kind: "probe";
      readonly drain: string;
      readonly origin: string;
      readonly lane: LaneStanding;
      readonly prober: Prober;
      /** Its page is about what fails there. */
      readonly isHere?: boolean;
    }
  | {
      readonly kind: "plan";
      readonly drain: string | undefined;
      readonly failure?: string;
      /** Of a receiver: what goes there. */
      readonly host?: string;
      /** Its page is about the kind: five of it are tried there. */
      readonly isHere?: boolean;
    }
  | {
      readonly kind: "parked";
      /** Fields of the page that lists them; absent: all. */
      readonly of?: Readonly<Record<string, string | undefined>>;
    }
  | { readonly kind: "runbook"; readonly alert: string }
  | {
      readonly kind: "expiring";
      /** The kind that expires first; null: it is of none. */
      readonly failure: string | null;
      /** `119`, `at most 119`. */
      readonly count: string;
    }
  /** `apply`: its page has the form. */
  | { readonly kind: "rules" | "of no drain" | "paused" | "apply" };

export interface Need {
  /** In a line, such as `Receiver pay.example.com answers 503 no route`. Strangers wrote parts of it. */
  readonly what: string;
  /** The same as the sentence over the page, such as `halted: pay.example.com fails, 600 wait`. */
  readonly headline: string;
  /** What is known about it beside; empty: nothing. Strangers wrote parts of it. */
  readonly detail: string;
  readonly mood: "bad" | "warn" | "good";
  readonly first: FirstAct;
  /** Somebody works on it, so it comes after what nobody works on. */
  readonly isTaken: boolean;
}

export function need(
  mood: Need["mood"],
  what: string,
  {
    owners = "",
    detail,
    ...rest
  }: Pick<Need, "detail" | "first"> & Partial<Pick<Need, "headline">> & { readonly owners?: string },
): Need {
  const isTaken = owners !== "";
  const told = present([owners, detail]).join("; ");
  return { mood: isTaken ? "warn" : mood, what, headline: what, ...rest, detail: told, isTaken };
}
