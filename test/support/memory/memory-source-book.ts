import type { SourceId } from "../../../src/ports/ids.ts";
import type { Census, SourceBook } from "../../../src/ports/passes.ts";

/** What the books of all sources share, and what they know of each other's ledgers. */
export interface MemoryAccounts {
  readonly ids: Map<string, SourceId>;
  readonly addresses: Map<SourceId, string>;
  readonly isInUse: (id: SourceId) => boolean;
}

export function createMemoryAccounts(isInUse: (id: SourceId) => boolean = () => false): MemoryAccounts {
  return { ids: new Map(), addresses: new Map(), isInUse };
}

/** What is remembered about a source, in this process. */
export function createMemorySourceBook(
  sourceId: SourceId,
  accounts: MemoryAccounts = createMemoryAccounts(),
): SourceBook {
  let bound: { readonly url: string; token: string } | null = null;
  let meaning: "entered" | "created" | null = null;
  let newest: Census | null = null;
  const bind = (url: string, token: string) => {
    if (bound === null) {
      bound = { url, token };
      accounts.addresses.set(sourceId, url);
      return "bound";
    }
    if (bound.url !== url) return "url-differs";
    if (bound.token === token) return "same";
    bound.token = token;
    return "token-changed";
  };
  return {
    idOfAccount: (urlHash, tokenHash) => {
      const account = toAccount(urlHash, tokenHash);
      const known = accounts.ids.get(account) ?? sourceId;
      accounts.ids.set(account, known);
      return Promise.resolve(known);
    },
    recall: (urlHash, tokenHash) =>
      Promise.resolve({
        drainedAs: accounts.ids.get(toAccount(urlHash, tokenHash)) ?? null,
        isBound: bound !== null,
      }),
    othersAt: (urlHash) =>
      Promise.resolve(
        [...accounts.addresses]
          .filter(([id, url]) => id !== sourceId && url === urlHash)
          .map(([id]) => ({ id, isInUse: accounts.isInUse(id) })),
      ),
    bind: (urlHash, tokenHash) => Promise.resolve(bind(urlHash, tokenHash)),
    datesMean: () => Promise.resolve(meaning),
    learnDates: (learned) => {
      meaning = learned;
      return Promise.resolve();
    },
    census: () => Promise.resolve(newest),
    recordCensus: (census) => {
      if (newest === null || newest.at <= census.at) newest = census;
      return Promise.resolve();
    },
  };
}

function toAccount(urlHash: string, tokenHash: string): string {
  return `${urlHash} ${tokenHash}`;
}
