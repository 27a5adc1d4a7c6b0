import type { DrainsDocument } from "../../ports/drains.ts";
import { firstProblems, toPathText, type TextPosition, type Problem, type ValuePath } from "../problem.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { textLimits } from "../text/token-gate.ts";
import { parseYaml } from "../text/yaml-tree.ts";
import { checkTogether } from "./checks/checks.ts";
import { toLintView } from "./checks/lint-view.ts";
import { findStrayKeys, toStrayProblem } from "./checks/stray-keys.ts";
import { findWarnings } from "./checks/warnings.ts";
import { compileDocument } from "./compile-document.ts";
import { documentSchema } from "./schema/document-schema.ts";
import { findOverfull, toProblems } from "./to-problems.ts";

export type DocumentOutcome =
  | {
      readonly ok: true;
      readonly document: DrainsDocument;
      readonly warnings: readonly Problem[];
      /** Where a value of the document stands in its text. */
      locate(path: ValuePath): TextPosition;
    }
  /** Warnings are about what can be judged whatever becomes of the problems. */
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

export interface LoadOptions {
  /** Unix ms; with it, a rule is warned of if its ignoreAfter has passed. */
  readonly now?: number;
}

/**
 * text → positions and plain data → shape (zod) and what keys mean together → compiled drains.
 * All problems and warnings are reported at once, in the order of the text; the document is adopted whole or
 * not at all.
 */
export function loadDocument(text: string, fileName: string, options: LoadOptions = {}): DocumentOutcome {
  const reading = parseYaml(text, fileName);
  if (!reading.ok) return { ok: false, problems: inOrder(reading.problems), warnings: [] };
  const { tree } = reading;
  const shape = documentSchema.safeParse(tree.value);
  const strays = shape.success ? [] : findStrayKeys(tree.value);
  const strayPaths = strays.map((name) => toPathText(["drains", name]));
  const overfull = shape.success ? [] : findOverfull(shape.error.issues, tree).map(toPathText);
  const problems = [
    ...reading.problems,
    ...strays.map((name) => toStrayProblem(name, tree, fileName)),
    ...(shape.success ? [] : toProblems(shape.error.issues, tree, fileName)).filter(isOutside(strayPaths)),
    ...checkTogether(tree, fileName).filter(isOutside([...strayPaths, ...overfull])),
  ];
  const found = findWarnings(toLintView(tree.value, strays), tree, fileName, options.now);
  const warnings = inOrder(found.filter(isOutside(overfull)));
  if (!shape.success || problems.length > 0) return { ok: false, problems: inOrder(problems), warnings };
  const document = compileDocument(shape.data);
  return { ok: true, document, warnings, locate: (path) => tree.locate(path, "value") };
}

/** Reads and loads a document of at most 1 MiB. */
export function readDocumentFile(path: string, options: LoadOptions = {}): DocumentOutcome {
  const file = readTextFile(path, textLimits.maxBytes);
  if (file.ok) return loadDocument(file.text, path, options);
  const expected = "a readable drains document (drains.file, REDRIVER_DRAINS_FILE)";
  const problem = { file: path, expected, message: `expected ${expected}: ${file.why}` };
  return { ok: false, problems: [problem], warnings: [] };
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
