import { RedriverError } from "../../../job/contracts/errors.ts";
import type { Io } from "../io.ts";

/**
 * A person's reason for an act: as given, or asked for on a terminal. Throws `command-misused` without one.
 * `what`: the act, as in "a pause needs --reason".
 */
export async function requireReason(io: Io, given: string | undefined, what: string): Promise<string> {
  const reason = given?.trim() ?? "";
  if (reason !== "") return reason;
  if (!io.isTerminal) {
    throw new RedriverError("command-misused", `without a terminal to ask on, ${what} needs --reason "…"`);
  }
  const answer = (await io.ask("Why? Others read it in the status and the history:")).trim();
  if (answer !== "") return answer;
  throw new RedriverError(
    "command-misused",
    `${what} needs a reason: answer the question, or give --reason "…"`,
  );
}
