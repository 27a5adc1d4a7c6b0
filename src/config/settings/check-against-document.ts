/**
 * What must be true of settings and document together before anything is built from them. Every function:
 * empty when all is.
 */
import { isForwardable } from "../../message/headers.ts";
import type { DrainsDocument, SecretRef, SourceConfig } from "../../ports/drains-document.ts";
import { firstProblems, misfit, type Problem } from "../problem.ts";
import { checkInequality } from "./ledger-limits.ts";
import type { Settings } from "./settings.ts";

export function checkFit(settings: Settings, document: DrainsDocument): readonly Problem[] {
  return firstProblems([...checkSources(settings, document), ...checkDocument(settings, document)]);
}

/** What is about the document itself, whatever addresses and tokens there are. */
export function checkDocument(settings: Settings, document: DrainsDocument): readonly Problem[] {
  return [...checkInequality(settings, document), ...checkHeaders(settings, document)];
}

/**
 * What each source needs from the settings, and that no account is a source twice: two sources are two
 * ledgers, and neither would know what the other has published.
 */
function checkSources(settings: Settings, document: DrainsDocument): readonly Problem[] {
  const { url, token, tokenFile } = settings.service;
  const problems: Problem[] = [];
  const refuse = (path: string, expected: string, why = ""): void => {
    problems.push({ path, ...misfit(expected, undefined, why) });
  };
  const seen = new Map<string, SourceConfig>();
  for (const source of document.sources) {
    const path = `sources.${source.name}`;
    if (source.url === undefined && url === undefined) {
      refuse(`${path}.url`, "an address: its url, or service.url (REDRIVER_SERVICE_URL)");
    }
    if (source.token.kind === "settings" && token === undefined && tokenFile === undefined) {
      refuse(
        `${path}.token`,
        "a token: its token { file } or { env }, or REDRIVER_SERVICE_TOKEN or REDRIVER_SERVICE_TOKEN_FILE",
      );
    }
    const isOfFile = source.token.kind === "settings" && tokenFile !== undefined;
    const place: SecretRef = isOfFile ? { kind: "file", path: tokenFile } : source.token;
    const account = JSON.stringify([source.url ?? url, place]);
    const twin = seen.get(account);
    if (twin === undefined) seen.set(account, source);
    else refuse(path, `another url or token than source ${twin.name}`, ": one account is one source");
  }
  return problems;
}

/** A rebuild would pass over headers that rules set under the service's own prefix. */
function checkHeaders({ service: { headerPrefix } }: Settings, document: DrainsDocument): readonly Problem[] {
  const expected = `a header name that does not begin with ${headerPrefix} (service.headerPrefix)`;
  return document.drains.flatMap((drain) =>
    drain.rules.flatMap((rule, index) =>
      Object.keys(rule.set?.headers ?? {})
        .filter((name) => !isForwardable(name, headerPrefix))
        .map((name) => ({
          path: `drains.${drain.name}.rules[${index}].set.headers.${name}`,
          ...misfit(expected),
        })),
    ),
  );
}
