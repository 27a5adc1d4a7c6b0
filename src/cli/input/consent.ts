import { RedriverError } from "../../ports/errors.ts";
import type { Io } from "../io.ts";
import { userInfo } from "node:os";
import type { Teardown } from "../../compose/teardown.ts";

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

export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user need not have a name.
    return "unknown";
  }
}

/** Ctrl-C once: finish the page and stop. Twice: end calls too. The ledger has what is in doubt then. */
export function createStop(io: Io, teardown: Teardown) {
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

export type Stop = ReturnType<typeof createStop>;
