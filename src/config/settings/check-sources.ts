import type { DrainsDocument, SecretRef, SourceConfig } from "../../ports/drains.ts";
import type { Problem } from "../problem.ts";
import type { Settings } from "./settings.ts";

/**
 * What each source needs from the settings, and that no account is a source twice: two sources are two ledgers, and
 * neither would know what the other has published. Empty when all is there.
 */
export function checkSources(settings: Settings, document: DrainsDocument): readonly Problem[] {
  const problems: Problem[] = [];
  const seen = new Map<string, SourceConfig>();
  for (const source of document.sources) {
    const path = `sources.${source.name}`;
    if (source.url === undefined && settings.service.url === undefined) {
      const expected = "an address: its url, or service.url (REDRIVER_SERVICE_URL)";
      problems.push({ path: `${path}.url`, expected, message: `expected ${expected}` });
    }
    const { token, tokenFile } = settings.service;
    if (source.token.kind === "settings" && token === undefined && tokenFile === undefined) {
      const expected =
        "a token: its token { file } or { env }, or REDRIVER_SERVICE_TOKEN or REDRIVER_SERVICE_TOKEN_FILE";
      problems.push({ path: `${path}.token`, expected, message: `expected ${expected}` });
    }
    const account = `${source.url ?? settings.service.url ?? ""} ${accountToken(source.token, settings)}`;
    const twin = seen.get(account);
    if (twin === undefined) seen.set(account, source);
    else {
      const expected = `another url or token than source ${twin.name}`;
      problems.push({ path, expected, message: `expected ${expected}: one account is one source` });
    }
  }
  return problems;
}

function accountToken(ref: SecretRef, settings: Settings): string {
  switch (ref.kind) {
    case "file":
      return `file ${ref.path}`;
    case "env":
      return `env ${ref.name}`;
    case "settings":
      return settings.service.tokenFile === undefined ? "settings" : `file ${settings.service.tokenFile}`;
  }
}
