import { RedriverError } from "../../ports/errors.ts";
import type { Io } from "../io.ts";
import { userInfo } from "node:os";
import type { Teardown } from "../../compose/teardown.ts";

/**
 * For acts on records that nobody named by id or plan. Without a terminal nobody sees how many they are, so `--yes` is required. Throws
 * `command-misused` without it. `what` is the subject of that sentence: `a release`.
 */
export function requireConsent(io: Io, yes: boolean | undefined, what: string): void {
  if (yes === true || io.isTerminal) return;
  throw new RedriverError("command-misused", `without a terminal to ask on, ${what} needs --yes`);
}

/** The answer on a terminal; true if `--yes` was given, or if nobody can be asked and consent is not required. */
export async function hasConsent(
  io: Io,
  yes: boolean | undefined,
  toQuestion: () => string | Promise<string>,
): Promise<boolean> {
  return yes === true || !io.isTerminal || io.confirm(await toQuestion());
}

/** Who runs the command, for the audit. */
export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user need not have a name.
    return "unknown";
  }
}

/** Ctrl-C once: finish the page and stop. Twice: end calls too, still safe, because what is in doubt is in the ledger. */
export interface Stop {
  readonly stopping: AbortSignal;
  readonly signal: AbortSignal;
}

export function createStop(io: Io, teardown: Teardown): Stop {
  const stopping = new AbortController();
  const now = new AbortController();
  const forget = io.onSignal(() => {
    if (stopping.signal.aborted) {
      now.abort();
      return;
    }
    io.err("stopping after this page; once more to stop now\n");
    stopping.abort();
  });
  teardown.add("signals", forget);
  return { stopping: stopping.signal, signal: now.signal };
}
