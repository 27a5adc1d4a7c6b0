import { misused } from "../../../job/contracts/errors.ts";
import type { Io } from "../io.ts";

/** For acts on records that nobody named: without a terminal nobody sees how many they are, so `--yes` is required. */
export function requireConsent(io: Io, yes: boolean | undefined, what: string): void {
  if (yes === true || io.isTerminal) return;
  throw misused(`without a terminal to ask on, ${what} needs --yes`);
}

/** The answer on a terminal; true if `--yes` was given or nobody can be asked. */
export async function hasConsent(
  io: Io,
  yes: boolean | undefined,
  toQuestion: () => string | Promise<string>,
): Promise<boolean> {
  if (yes === true || !io.isTerminal) return true;
  // No answer is a no.
  return /^y(?:es)?$/i.test(await io.ask(`${await toQuestion()} [y/N]`));
}

/** As given, or asked for on a terminal; else it throws. `what`: the act, as in "a pause needs --reason". */
export async function requireReason(io: Io, given: string | undefined, what: string): Promise<string> {
  const reason = given?.trim() ?? "";
  if (reason !== "") return reason;
  if (!io.isTerminal) {
    throw misused(`without a terminal to ask on, ${what} needs --reason "…"`);
  }
  const answer = (await io.ask("Why? Others read it in the status and the history:")).trim();
  if (answer !== "") return answer;
  throw misused(`${what} needs a reason: answer the question, or give --reason "…"`);
}
