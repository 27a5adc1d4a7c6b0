import { RedriverError } from "../../ports/errors.ts";
import type { Io } from "../io.ts";

/**
 * For what nobody named by id or plan: without a terminal nobody sees how much it is, so `--yes` has to say that it is meant. Throws
 * `command-misused` unless it does. `what` is the subject of that sentence: `a release`.
 */
export function requireConsent(io: Io, yes: boolean | undefined, what: string): void {
  if (yes === true || io.isTerminal) return;
  throw new RedriverError("command-misused", `without a terminal to ask on, ${what} needs --yes`);
}

/** The answer on a terminal; true where `--yes` was given, or where there is nobody to ask and nothing that needs consent. */
export async function hasConsent(
  io: Io,
  yes: boolean | undefined,
  toQuestion: () => string | Promise<string>,
): Promise<boolean> {
  return yes === true || !io.isTerminal || io.confirm(await toQuestion());
}
