/**
 * Which host each record of an entry has: a list of the hosts, and for each group of records a text `k` of one
 * digit per record. A digit is the place of its host in the list, `-` is none. One digit alone stands for the
 * whole group, and no `k` for the first host. Entries without a list have no hosts.
 */
import type { AuditRecord } from "../../contracts/audit.ts";

const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const none = "-";

/**
 * The list may have so many characters, and the first host in any case. So a hundred records of a hundred
 * hosts cost 6 bytes each at most; the last of them have no host then.
 */
const maxCharacters = (records: number): number => 100 + 4 * records;
/** Per host: two quotes and a comma. */
const charactersAround = 3;
/** No DNS name is longer. */
const maxHost = 253;

export type HostTable = ReturnType<typeof createHostTable>;

export function createHostTable(records: readonly AuditRecord[]) {
  const places = new Map<string, string>();
  let left = maxCharacters(records.length);
  for (const { host } of records) {
    if (host === undefined || host.length > maxHost || places.has(host)) continue;
    left -= host.length + charactersAround;
    if (places.size > 0 && left < 0) break;
    places.set(host, digits.charAt(places.size));
    if (places.size === digits.length) break;
  }
  if (places.size === 0) return { hosts: undefined, keysOf: () => undefined };
  return {
    hosts: [...places.keys()],
    keysOf(group: readonly AuditRecord[]): string | undefined {
      let keys = "";
      for (const { host } of group) keys += host === undefined ? none : (places.get(host) ?? none);
      const first = keys.charAt(0);
      if (keys !== first.repeat(keys.length)) return keys;
      return first === digits.charAt(0) ? undefined : first;
    },
  };
}

export type HostOf = (keys: string | undefined, index: number) => string | undefined;

export function readHosts(hosts: readonly string[] = []): HostOf {
  return (keys = digits.charAt(0), index) => {
    const key = keys.length === 1 ? keys : keys.charAt(index);
    // For `-` that is -1, where no host is.
    return hosts[digits.indexOf(key)];
  };
}
