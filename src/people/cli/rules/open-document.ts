import type { Command } from "commander";
import { systemClock } from "../../../system-world.ts";
import { readDocumentFile, type DocumentOutcome } from "../../../config/document/load-document.ts";
import { firstProblems, formatProblem, type Problem, type ValuePath } from "../../../config/problem.ts";
import { checkDocument } from "../../../config/settings/check-against-document.ts";
import type { Settings } from "../../../config/settings/settings.ts";
import type { DrainConfig, DrainsDocument } from "../../../job/contracts/drains-document.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import { unknownDrain } from "../../operations/choose-drains.ts";
import type { Io } from "../io.ts";
import { loadSettingsFor } from "../load-config.ts";

type LoadedDocument = Extract<DocumentOutcome, { ok: true }>;

/** A drains document with the places in its text, and the settings to read it by. Needs no token. */
export interface OpenedDocument {
  readonly file: string;
  readonly settings: Settings;
  readonly outcome: DocumentOutcome;
}

/**
 * Opens this document, or the one of the settings. The outcome has its problems, also those that only show
 * beside the settings. Throws `settings-invalid` for the settings themselves.
 */
export function openDocument(command: Command, io: Io, named: string | undefined): OpenedDocument {
  const settings = loadSettingsFor(command, io);
  const file = named ?? settings.drains.file;
  const outcome = readDocumentFile(file, { now: systemClock.now() });
  return { file, settings, outcome: outcome.ok ? withSettings(outcome, settings, file) : outcome };
}

/** The document, or `document-invalid` with all that is wrong. Warnings go to stderr. */
export function requireDocument({ outcome }: Pick<OpenedDocument, "outcome">, io: Io): LoadedDocument {
  if (outcome.ok) {
    for (const warning of outcome.warnings) io.err(`warning: ${formatProblem(warning)}\n`);
    return outcome;
  }
  throw new RedriverError("document-invalid", outcome.problems.map(formatProblem).join("\n  "));
}

/** The drain of this name, or all of them; throws `command-misused` for a name that there is not. */
export function drainsNamed({ drains }: DrainsDocument, name: string | undefined): readonly DrainConfig[] {
  if (name === undefined) return drains;
  const named = drains.filter((drain) => drain.name === name);
  const known = drains.map((drain) => drain.name);
  if (named.length === 0) throw unknownDrain(name, known);
  return named;
}

/** Only what has to do with the document itself: addresses and tokens are for the daemon to miss. */
function withSettings(outcome: LoadedDocument, settings: Settings, file: string): DocumentOutcome {
  const problems = checkDocument(settings, outcome.document).map((problem): Problem => ({
    file,
    ...outcome.locate(toPath(problem.path ?? "")),
    ...problem,
  }));
  if (problems.length === 0) return outcome;
  return { ok: false, problems: firstProblems(problems), warnings: outcome.warnings };
}

/** `drains.orders.rules[1]` → `["drains", "orders", "rules", 1]`; anything else leads to its parent. */
function toPath(text: string): ValuePath {
  return [...text.matchAll(/\[(\d+)\]|([\w-]+)/g)].map(([, index, name = ""]) =>
    index === undefined ? name : Number(index),
  );
}
