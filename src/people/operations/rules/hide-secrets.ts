import { toPrintableLines } from "../../../job/message/show-masked-values.ts";
import { looksSecret } from "../../../job/message/secret-looking.ts";

const maxLineCharacters = 2_000;

/**
 * A line of the drains document, for a person who may not see secrets. The document has references to secrets; but
 * the address of a webhook, and a header that a rule sets, may be written into it.
 */
export function hideSecrets(line: string): string {
  return toPrintableLines(
    line
      .replaceAll(/\/\/[^\s/@"']+@/g, "//***@")
      .replaceAll(/[A-Za-z0-9_+=-]{16,}/g, (word) => (looksSecret(word) ? "***" : word)),
    maxLineCharacters,
  );
}
