import type { SourceBook } from "../contracts/source-book.ts";
import type { SourceConfig } from "../contracts/drains-document.ts";
import { RedriverError } from "../contracts/errors.ts";
import type { SourceId } from "../contracts/ids.ts";

export interface Binding {
  readonly config: Pick<SourceConfig, "id" | "name" | "isIdWritten" | "dedupWindowMs">;
  readonly book: Pick<SourceBook, "knownBinding" | "othersAt" | "idOfAccount" | "bind">;
  readonly idsNow: () => readonly SourceId[];
  readonly urlHash: string;
  readonly tokenHash: string;
}

/** Throws `source-rebound`, and writes nothing, if another id's ledger may know what was published for it. */
export async function bindSource({
  config,
  book,
  idsNow,
  urlHash,
  tokenHash,
}: Binding): Promise<"bound" | "same" | "token-changed"> {
  const { drainedAs, isBound } = await book.knownBinding(urlHash, tokenHash);
  refuseOther(config, drainedAs ?? config.id);
  // A new token does not show whose account it is. A written id shows which ledger is meant.
  if (!isBound && config.isIdWritten !== true) {
    const others = await book.othersAt(urlHash, config.dedupWindowMs);
    const inForce = idsNow();
    refuseRenamed(config, others.find(({ id, isInUse }) => isInUse && !inForce.includes(id))?.id);
  }
  // Another replica may have bound it in between.
  refuseOther(config, await book.idOfAccount(urlHash, tokenHash));
  const verdict = await book.bind(urlHash, tokenHash);
  if (verdict !== "url-differs") return verdict;
  throw new RedriverError(
    "source-rebound",
    `source id ${config.id} was used with another address before; the ledger of one account must not decide for another: give sources.${config.name} an id of its own (id:)`,
  );
}

function refuseOther({ id, name }: Binding["config"], drainedAs: SourceId): void {
  if (drainedAs === id) return;
  throw new RedriverError(
    "source-rebound",
    `the account of source ${id} is drained as source ${drainedAs}, whose ledger knows what was published; give sources.${name} that id (id: ${drainedAs})`,
  );
}

function refuseRenamed({ id, name }: Binding["config"], other: SourceId | undefined): void {
  if (other === undefined) return;
  throw new RedriverError(
    "source-rebound",
    `source ${id} is new at an address where source ${other} was drained, which the document has no more and whose ledger knows what was published; if it is the same account under another name, give sources.${name} its id (id: ${other}); if it is another account, say so (id: ${id})`,
  );
}
