import { userInfo } from "node:os";

export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user need not have a name.
    return "unknown";
  }
}
