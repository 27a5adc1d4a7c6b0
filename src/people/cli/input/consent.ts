import { RedriverError } from "../../../job/contracts/errors.ts";
import type { Io } from "../io.ts";

/**
 * For acts on records that nobody named by id or plan. Without a terminal nobody sees how many they are, so
 * `--yes` is required. Throws `command-misused` without it.
 */
export function requireConsent(io: Io, yes: boolean | undefined, what: string): void {
  if (yes === true || io.isTerminal) return;
  throw new RedriverError("command-misused", `without a terminal to ask on, ${what} needs --yes`);
}

/** The answer on a terminal; true if `--yes` was given or nobody can be asked. */
export async function hasConsent(
  io: Io,
  yes: boolean | undefined,
  toQuestion: () => string | Promise<string>,
): Promise<boolean> {
  return yes === true || !io.isTerminal || io.confirm(await toQuestion());
}
