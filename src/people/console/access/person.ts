import { mayDo, type ConsoleRole } from "../../../job/contracts/console-roles.ts";

export interface Person {
  /** For the audit. Null: the console does not know who asks, and an act asks for a name. */
  readonly name: string | null;
  readonly role: ConsoleRole;
}

/** Why this person may not do it; null: they may. */
export function whyNot({ role }: Person, needed: ConsoleRole): string | null {
  return mayDo(role, needed) ? null : `needs the role ${needed}; yours is ${role}`;
}
