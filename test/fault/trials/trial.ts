import type { FaultDefinition } from "../../../dev/emulator/index.ts";
import type { Dice } from "../../rig/dice.ts";
import type { Stack } from "../../rig/stack.ts";
import type { Shares } from "./letters.ts";
import type { TrialBooks } from "./books.ts";

/** What a trial is held to, in real time with shipped settings. */
export interface Bounds {
  /**
   * From the start of the daemons until what can be published is accepted and deleted, and what is never
   * taken is parked.
   */
  readonly doneWithinS: number;
  /** Of all dead letters, from 0. */
  readonly declaredShare: number;
  /** Nothing accepted and nothing deleted for so long, while something is left that is not to be parked. */
  readonly stallS?: number;
  /** The source is never halted. */
  readonly isNeverHalted?: boolean;
  /**
   * What is refused while nothing else is accepted is parked only after its third refusal, ten minutes apart.
   * So it may still wait when all else is done, and the trial is watched for at least so long.
   */
  readonly refusedMayWaitAfterS?: number;
}

/** Faults together, for as long as it takes. */
export interface Trial {
  readonly name: string;
  readonly count: number;
  /** Default 1. */
  readonly replicas?: number;
  /** Default none. */
  readonly shares?: Shares;
  readonly faults: readonly FaultDefinition[];
  /** When its deadly letters end a daemon (deadly.ts). Such a daemon is started again. */
  readonly deadlyAt?: "work" | "list";
  /** Of the emulator, as `PATCH /_control/settings` takes them. */
  readonly service?: Readonly<Record<string, unknown>>;
  readonly bounds: Bounds;
  /** How long one is watched that is not done in time; default twice that. */
  readonly watchedS?: number;
  /** What is done meanwhile. It ends soon after `isOver`. */
  readonly meanwhile?: (play: Play) => Promise<void>;
  /** The form that continuous integration has time for. */
  readonly small?: { readonly count: number; readonly doneWithinS?: number };
}

export interface Play {
  readonly stack: Stack;
  readonly books: TrialBooks;
  readonly dice: Dice;
  readonly isOver: () => boolean;
  readonly say: (line: string) => void;
}
