import type { SourceId } from "../ports/ids.ts";
import type { Census, SourceBook } from "../ports/passes.ts";

/** What is remembered about a source, in this process. `accounts`: shared by the books of all sources. */
export function createMemorySourceBook(
  sourceId: SourceId,
  accounts: Map<string, SourceId> = new Map<string, SourceId>(),
): SourceBook {
  let bound: { readonly url: string; token: string } | null = null;
  let meaning: "entered" | "created" | null = null;
  let newest: Census | null = null;
  const bind = (url: string, token: string) => {
    if (bound === null) {
      bound = { url, token };
      return "bound";
    }
    if (bound.url !== url) return "url-differs";
    if (bound.token === token) return "same";
    bound.token = token;
    return "token-changed";
  };
  return {
    idOfAccount: (urlHash, tokenHash) => {
      const account = `${urlHash} ${tokenHash}`;
      const known = accounts.get(account) ?? sourceId;
      accounts.set(account, known);
      return Promise.resolve(known);
    },
    bind: (urlHash, tokenHash) => Promise.resolve(bind(urlHash, tokenHash)),
    datesMean: () => Promise.resolve(meaning),
    learnDates: (learned) => {
      meaning = learned;
      return Promise.resolve();
    },
    census: () => Promise.resolve(newest),
    noteCensus: (census) => {
      if (newest === null || newest.at <= census.at) newest = census;
      return Promise.resolve();
    },
  };
}
