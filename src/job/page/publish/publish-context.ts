import type { Token } from "../../contracts/ids.ts";
import type { DrainRuntime } from "../../runtime.ts";
import type { Letter } from "../letter.ts";
import type { Refusals } from "./refusals.ts";

export interface PublishContext {
  readonly drain: DrainRuntime;
  readonly pageReadAt: number;
  readonly signal: AbortSignal;
  readonly refusals: Refusals;
  /** POSTs in doubt, until they are tried again. `isUnreadable`: an answer came, and could not be read. */
  readonly inDoubt: {
    readonly token: Token;
    readonly letters: readonly Letter[];
    readonly times: number;
    readonly isUnreadable: boolean;
    readonly why: string;
  }[];
  answered: number;
}
