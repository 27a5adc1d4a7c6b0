import type { DrainsDocument } from "../../job/contracts/drains-document.ts";
import {
  firstProblems,
  misfit,
  toPathText,
  type TextPosition,
  type Problem,
  type ValuePath,
} from "../problem.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { textLimits } from "../text/yaml-limits.ts";
import { parseYaml } from "../text/yaml-tree.ts";
import { checkTogether } from "./checks/check-document.ts";
import { compileDocument } from "./compile-document.ts";
import { documentSchema } from "./schema/document-schema.ts";
import { toMisfits, type Misfits } from "./schema-problems.ts";

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

export interface LoadOptions {
  /** Unix ms; with it, a rule is warned of if its ignoreAfter has passed. */
  readonly now?: number;
}

/**
 * text → positions and plain data → shape (zod) and what keys mean together → compiled drains. All problems and
 * warnings are reported at once, in the order of the text; the document is adopted whole or not at all.
 */
export function loadDocument(text: string, fileName: string, options: LoadOptions = {}): DocumentOutcome {
  const reading = parseYaml(text, fileName);
  if (!reading.ok) return { ok: false, problems: inOrder(reading.problems), warnings: [] };
  const { tree } = reading;
  const shape = documentSchema.safeParse(tree.value);
  const { success, data } = shape;
  const misfits = success ? noMisfits : toMisfits(shape.error.issues, tree, fileName);
  const overfull = misfits.overfull.map(toPathText);
  const together = checkTogether(tree, fileName, options.now);
  const misread = new Set(reading.problems.map(placeOf));
  const problems = [
    ...reading.problems,
    // What follows from a value that is misread is no news.
    ...misfits.problems.filter((one) => !misread.has(placeOf(one))),
    ...together.problems.filter(isOutside(overfull)),
  ];
  const warnings = inOrder(together.warnings.filter(isOutside(overfull)));
  if (!success || problems.length > 0) return { ok: false, problems: inOrder(problems), warnings };
  const document = compileDocument(data);
  return { ok: true, document, text, warnings, locate: (path) => tree.locate(path, "value") };
}

export function readDocumentFile(path: string, options: LoadOptions = {}): DocumentOutcome {
  const file = readTextFile(path, textLimits.maxBytes);
  if (file.ok) return loadDocument(file.text, path, options);
  const expected = "a readable drains document (drains.file, REDRIVER_DRAINS_FILE)";
  const problem = { file: path, ...misfit(expected, undefined, `: ${file.why}`) };
  return { ok: false, problems: [problem], warnings: [] };
}

const noMisfits: Misfits = { problems: [], overfull: [] };

function placeOf({ line, column }: Problem): string {
  return `${line}:${column}`;
}

function isOutside(paths: readonly string[]): (problem: Problem) => boolean {
  return ({ path = "" }) =>
    !paths.some((above) => path.startsWith(above) && /^(?:[.[]|$)/.test(path.slice(above.length)));
}

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return firstProblems(
    problems.toSorted(
      (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
    ),
  );
}
