/** What a person may do in the console, each role all of those before it: read, act, see content. */
export const consoleRoles = ["viewer", "operator", "admin"] as const;
export type ConsoleRole = (typeof consoleRoles)[number];

export function mayDo(role: ConsoleRole, needed: ConsoleRole): boolean {
  return consoleRoles.indexOf(role) >= consoleRoles.indexOf(needed);
}
