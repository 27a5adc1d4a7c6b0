import type { Settings } from "../../../config/settings/settings.ts";
import type { ConsoleRole } from "../../../job/contracts/console-roles.ts";
import type { Guesses } from "./guesses.ts";
import { isName } from "../../operations/define.ts";
import type { Person } from "./person.ts";
import { createProxyCheck } from "./front-door.ts";
import { findToken, isSame, type TokenRow } from "./token-file.ts";
import { sign } from "./signed.ts";

export interface Caller {
  readonly address: string;
  header(name: string): string | undefined;
  headerCount(name: string): number;
  /** The session that sign-in gave; undefined: none. */
  readonly session: string | undefined;
}

export type Identity =
  | { readonly kind: "known"; readonly person: Person }
  | { readonly kind: "sign-in" }
  | { readonly kind: "wrong-token" }
  /** Too many wrong tokens came from this address. */
  | { readonly kind: "limited" }
  /** `isUnclear`: who asks is said twice. */
  | { readonly kind: "refused"; readonly why: string; readonly isUnclear?: true };

interface IdentifyParts {
  readonly settings: Settings["console"];
  readonly tokens: () => readonly TokenRow[];
  readonly guesses: Guesses;
  readonly now: () => number;
}

const sessionMs = 12 * 3_600_000;

export function createIdentify({
  settings,
  tokens,
  guesses,
  now,
}: IdentifyParts): (caller: Caller) => Identity {
  const isProxy = createProxyCheck(settings.proxies);
  return (caller) => {
    switch (settings.auth) {
      case "none":
        return known({ name: null, role: settings.role });
      case "token":
        return byToken(caller);
      case "headers":
        return byHeaders(caller);
    }
  };

  function byToken({ address, header, session }: Caller): Identity {
    const bearer = /^bearer +(\S+)$/i.exec(header("authorization") ?? "")?.[1];
    if (bearer !== undefined) {
      if (!guesses.mayTry(address)) return { kind: "limited" };
      const row = findToken(tokens(), bearer);
      if (row !== null) {
        guesses.wasRight(address);
        return known(row);
      }
      guesses.wasWrong(address);
      return { kind: "wrong-token" };
    }
    const row = session === undefined ? null : readSession(tokens(), session, now());
    return row === null ? { kind: "sign-in" } : known(row);
  }

  function byHeaders({ address, header, headerCount }: Caller): Identity {
    if (!isProxy(address)) {
      return { kind: "refused", why: "expected a request by a proxy of console.proxies" };
    }
    // Node joins headers of one name with commas: one of them may be a stranger's.
    const twice = [settings.userHeader, settings.groupsHeader].find((one) => headerCount(one) > 1);
    if (twice !== undefined) {
      return { kind: "refused", why: `expected the header ${twice} once`, isUnclear: true };
    }
    const name = header(settings.userHeader)?.trim();
    // A proxy may have joined them too.
    if (!name || !isName(name) || name.includes(",")) {
      return { kind: "refused", why: `expected a name in the header ${settings.userHeader}` };
    }
    const groups = (header(settings.groupsHeader) ?? "").split(",").map((group) => group.trim());
    return known({ name, role: toRole(groups) });
  }

  function toRole(groups: readonly string[]): ConsoleRole {
    if (groups.some((group) => settings.adminGroups.includes(group))) return "admin";
    if (groups.some((group) => settings.operatorGroups.includes(group))) return "operator";
    return settings.role;
  }
}

function known({ name, role }: Person): Identity {
  return { kind: "known", person: { name, role } };
}

/** For a cookie: ends after 12 h, or when the token is no longer in the file. */
export function toSession({ name, token }: TokenRow, now: number): string {
  const text = `${name}.${now + sessionMs}`;
  return `${text}.${sign(token, "session", text)}`;
}

function readSession(rows: readonly TokenRow[], session: string, now: number): TokenRow | null {
  const [, name = "", until = "", signature = ""] = /^(.+)\.(\d+)\.([\w-]+)$/.exec(session) ?? [];
  const row = rows.find((one) => one.name === name);
  if (row === undefined || Number(until) <= now) return null;
  return isSame(sign(row.token, "session", `${name}.${until}`), signature) ? row : null;
}
