import type { Command } from "commander";
import { readBareDocument } from "../config/document/schema/bare-document.ts";
import { readDocumentFile } from "../config/document/load-document.ts";
import { countProblems, firstProblems, formatProblem, type Problem } from "../config/problem.ts";
import { checkFit } from "../config/settings/check-fit.ts";
import { loadSettings } from "../config/settings/load-settings.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { DrainsDocument } from "../ports/drains.ts";
import { isRedriverError, RedriverError } from "../ports/errors.ts";
import { counted } from "./output/counted.ts";
import type { Io } from "./io.ts";

/** Flags that every command takes. */
interface GlobalFlags {
  readonly config?: string;
  readonly drains?: string;
  readonly logLevel?: string;
}

/** Settings from default, file, environment and flags. Throws `settings-invalid` with every problem on a line of its own. */
export function loadSettingsFor(command: Command, io: Io): Settings {
  const flags: GlobalFlags = command.optsWithGlobals();
  const outcome = loadSettings({
    // A variable that is empty is unset.
    file: flags.config ?? (io.env["REDRIVER_CONFIG_FILE"] || undefined),
    env: io.env,
    flags: { "drains.file": flags.drains, "log.level": flags.logLevel },
  });
  if (!outcome.ok) throw new RedriverError("settings-invalid", toLines(outcome.problems));
  return outcome.settings;
}

export interface Loaded {
  readonly settings: Settings;
  readonly document: DrainsDocument;
}

/** Settings and the drains document. Warnings go to stderr; problems are thrown, all at once. */
export function loadAll(command: Command, io: Io): Loaded {
  const settings = loadSettingsFor(command, io);
  const outcome = readDocumentFile(settings.drains.file, { now: Date.now() });
  if (!outcome.ok) throw new RedriverError("document-invalid", toLines(outcome.problems));
  for (const warning of outcome.warnings) io.err(`warning: ${formatProblem(warning)}\n`);
  const broken = checkFit(settings, outcome.document);
  if (broken.length > 0) throw new RedriverError("settings-invalid", toLines(broken));
  return { settings, document: outcome.document };
}

export interface LoadedForReading extends Loaded {
  /** How many problems keep the document from loading. Not 0: it holds names, source ids and addresses alone. */
  readonly problems: number;
}

/**
 * As loadAll, for commands that only read what was done or is waiting: in front of a document with mistakes they work by its names,
 * source ids and addresses, and say so on stderr. Throws `document-invalid` where not even these can be read.
 */
export function loadForReading(command: Command, io: Io): LoadedForReading {
  const settings = loadSettingsFor(command, io);
  const { file } = settings.drains;
  const outcome = readDocumentFile(file, { now: Date.now() });
  if (outcome.ok) return { ...loadAll(command, io), problems: 0 };
  const document = readBareDocument(file, "rough");
  if (document === null) throw new RedriverError("document-invalid", toLines(outcome.problems));
  const problems = countProblems(outcome.problems);
  io.err(
    `warning: ${file} has ${counted(problems, "problem")}, so only its names, source ids and addresses are read; redriver rules check tells what is wrong\n`,
  );
  return { settings, document, problems };
}

function toLines(problems: readonly Problem[]): string {
  const [only] = problems;
  if (problems.length === 1 && only !== undefined) return formatProblem(only);
  const told = firstProblems(problems);
  return `${countProblems(problems)} problems\n${told.map((problem) => `  ${formatProblem(problem)}`).join("\n")}`;
}

/**
 * As loadAll, for commands that only hold drains back or let them go on: they must work in front of a document with mistakes,
 * whose drains go on under the rules from before.
 */
export function loadNames(command: Command, io: Io): Loaded {
  try {
    return loadAll(command, io);
  } catch (error) {
    if (!isRedriverError(error) || error.code !== "document-invalid") throw error;
    const settings = loadSettingsFor(command, io);
    const document = readBareDocument(settings.drains.file);
    if (document === null) {
      throw new RedriverError(
        "document-invalid",
        `${error.message}\nname the document from before with --drains to go on without this one`,
        { cause: error },
      );
    }
    io.err(`warning: ${error.message}\nwarning: the document is taken for the names of its drains alone\n`);
    return { settings, document };
  }
}
