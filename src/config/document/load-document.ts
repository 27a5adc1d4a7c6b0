import type { DrainsDocument } from "../../job/contracts/drains-document.ts";
import {
  firstProblems,
  formatProblem,
  misfit,
  toPathText,
  type Problem,
  type TextPosition,
  type ValuePath,
} from "../problem.ts";
import { checkFit } from "../settings/check-against-document.ts";
import type { Settings } from "../settings/settings.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { textLimits } from "../text/yaml-limits.ts";
import { parseYaml } from "../text/yaml-tree.ts";
import { checkTogether } from "./checks/check-document.ts";
import { compileDocument } from "./compile-document.ts";
import { toMisfits, type Misfits } from "./schema-problems.ts";
import { documentSchema } from "./schema/document-schema.ts";

export type DocumentOutcome =
  | {
      readonly ok: true;
      readonly document: DrainsDocument;
      readonly text: string;
      readonly warnings: readonly Problem[];
      locate(path: ValuePath): TextPosition;
    }
  /** Warnings are about what can be judged whatever becomes of the problems. */
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

/** `now` in Unix ms: with it, a rule is warned of if its ignoreAfter has passed. */
interface LoadOptions {
  readonly now?: number;
}

/** All problems and warnings are reported at once; the document is adopted whole or not at all. */
export function loadDocument(text: string, fileName: string, options: LoadOptions = {}): DocumentOutcome {
  const reading = parseYaml(text, fileName);
  if (!reading.ok) return { ok: false, problems: inOrder(reading.problems), warnings: [] };
  const { tree } = reading;
  const { success, data, error } = documentSchema.safeParse(tree.value);
  const misfits: Misfits = success ? { problems: [], overfull: [] } : toMisfits(error.issues, tree);
  const overfull = misfits.overfull.map(toPathText);
  const together = checkTogether(tree, options.now);
  const misread = new Set(reading.problems.map(placeOf));
  const problems = [
    ...reading.problems,
    // What follows from a value that is misread is no news.
    ...misfits.problems.filter((one) => !misread.has(placeOf(one))),
    ...together.problems.filter(isOutside(overfull)),
  ];
  const warnings = inOrder(together.warnings.filter(isOutside(overfull)));
  if (!success || problems.length > 0) return { ok: false, problems: inOrder(problems), warnings };
  const document = compileDocument(data, tree.value);
  return { ok: true, document, text, warnings, locate: (path) => tree.locate(path, "value") };
}

export function readDocumentFile(path: string, options: LoadOptions = {}): DocumentOutcome {
  const file = readTextFile(path, textLimits.maxBytes);
  if (file.ok) return loadDocument(file.text, path, options);
  const expected = "a readable drains document (drains.file, REDRIVER_DRAINS_FILE)";
  const problem = { file: path, message: misfit(expected, undefined, `: ${file.why}`) };
  return { ok: false, problems: [problem], warnings: [] };
}

export type DocumentFile = ReturnType<typeof createDocumentFile>;

/** The document of these settings. Its problems and warnings are a line each, with file, line and column if known. */
export function createDocumentFile(settings: Settings) {
  const { file: path } = settings.drains;
  return {
    path,
    read: () => readTextFile(path, textLimits.maxBytes),
    load(text: string, now: number) {
      const outcome = loadDocument(text, path, { now });
      const problems = outcome.ok ? checkFit(settings, outcome.document) : outcome.problems;
      if (!outcome.ok || problems.length > 0) {
        return { ok: false as const, problems: problems.map(formatProblem) };
      }
      const { document, warnings, locate } = outcome;
      return { ok: true as const, document, warnings: warnings.map(formatProblem), locate };
    },
  };
}

function placeOf({ line, column }: Problem): string {
  return `${line}:${column}`;
}

function isOutside(paths: readonly string[]): (problem: Problem) => boolean {
  return ({ path = "" }) =>
    !paths.some((above) => path.startsWith(above) && /^(?:[.[]|$)/.test(path.slice(above.length)));
}

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  // A value that is unfit in two ways may be told of in one sentence.
  const once = new Map(problems.map((one) => [`${placeOf(one)} ${one.message}`, one])).values();
  return firstProblems(
    [...once].toSorted(
      (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
    ),
  );
}
