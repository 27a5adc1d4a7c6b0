import { userInfo } from "node:os";

/** Who runs the command, for the audit. */
export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user need not have a name.
    return "unknown";
  }
}
