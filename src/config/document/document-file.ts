import { loadDocument } from "./load-document.ts";
import { formatProblem } from "../problem.ts";
import { checkFit } from "../settings/check-against-document.ts";
import type { Settings } from "../settings/settings.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { textLimits } from "../text/yaml-limits.ts";
import type { DrainsDocument } from "../../job/contracts/drains-document.ts";

type DocumentReading =
  | { readonly ok: true; readonly document: DrainsDocument; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

export type DocumentFile = ReturnType<typeof createDocumentFile>;

export function createDocumentFile(settings: Settings) {
  const { file: path } = settings.drains;
  return {
    path,
    read: () => readTextFile(path, textLimits.maxBytes),
    load(text: string, now: number): DocumentReading {
      const outcome = loadDocument(text, path, { now });
      if (!outcome.ok) return { ok: false, problems: outcome.problems.map(formatProblem) };
      const { document, warnings } = outcome;
      const broken = checkFit(settings, document);
      return broken.length > 0
        ? { ok: false, problems: broken.map(formatProblem) }
        : { ok: true, document, warnings: warnings.map(formatProblem) };
    },
  };
}
