/** What a person does in the console: a form whose answer goes through the same code as the command. */
import type { ConsoleRole } from "../../../job/contracts/console-roles.ts";
import type { Core } from "../../../job/door.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import type { Texts } from "../../operations/define.ts";
import type { Area, Html, ScreenContext } from "../screen.ts";

export interface ActField {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "choice" | "hidden";
  /** Values that are often meant, each with its words; of a choice no other is. */
  readonly choices?: readonly (readonly [value: string, words: string])[];
  readonly isRequired?: boolean;
  /** Its value until somebody changes it. */
  readonly preset?: string;
  readonly hint?: string;
}

export interface Doing extends Pick<ScreenContext, "core" | "reads" | "plans" | "now" | "signal"> {
  readonly core: Core;
  /** Who, for the audit. */
  readonly by: string;
  /** Asks the daemons to look at the lanes of a source now. */
  readonly requestSweep: (source: SourceId) => Promise<void>;
}

export interface Done {
  /** What was done, for the person. */
  readonly said: string;
  /** What was asked for cannot be done now, and was not. */
  readonly isRefused?: boolean;
  /** Where to go on; default: the page that the form was on. */
  readonly next?: string;
}

/** Shown as the answer to the form itself: it has no address, so nothing can ask for it again. */
export interface ShownOnce {
  readonly title: string;
  readonly content: Html;
}

export interface Act {
  readonly name: string;
  readonly title: string;
  readonly area: Area;
  readonly role: ConsoleRole;
  /** False: it explains itself, such as a note. */
  readonly asksReason: boolean;
  readonly fields: readonly ActField[];
  /** What it does and costs, if its title does not say so. */
  readonly about?: string;
  /** The command that does the same. */
  readonly command: (values: Values) => string;
  /** Throws a RedriverError: `command-misused` for values that cannot be meant. */
  readonly run: (values: Values, doing: Doing) => Promise<Done | ShownOnce>;
}

/** Takes the form. Below it, `/command` answers the command of what the form has now. */
export function toActPath({ name }: Pick<Act, "name">): string {
  return `/acts/${name}`;
}

/** Of the form's fields, and `reason`. A field that was left empty is missing. */
export type Values = Texts;
