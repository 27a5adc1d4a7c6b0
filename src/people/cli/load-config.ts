import type { Command } from "commander";
import { readBrokenDocument } from "../../config/document/read-broken-document.ts";
import { readDocumentFile } from "../../config/document/load-document.ts";
import { countProblems, firstProblems, formatProblem, type Problem } from "../../config/problem.ts";
import { checkFit } from "../../config/settings/check-against-document.ts";
import { loadSettings } from "../../config/settings/load-settings.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { DrainsDocument } from "../../job/contracts/drains-document.ts";
import { RedriverError } from "../../job/contracts/errors.ts";
import { counted } from "../operations/phrases.ts";
import type { Io } from "./io.ts";

/** Settings from default, file, environment and flags. Throws `settings-invalid` with a line for each problem. */
export function loadSettingsFor(
  command: Command,
  io: Io,
  { drains }: { readonly drains?: string | undefined } = command.optsWithGlobals(),
): Settings {
  const flags: Readonly<{ config?: string; logLevel?: string }> = command.optsWithGlobals();
  const outcome = loadSettings({
    // A variable that is empty is unset.
    file: flags.config ?? (io.env["REDRIVER_CONFIG_FILE"] || undefined),
    env: io.env,
    flags: { "drains.file": drains, "log.level": flags.logLevel },
  });
  if (!outcome.ok) throw new RedriverError("settings-invalid", toLines(outcome.problems));
  return outcome.settings;
}

export interface Loaded {
  readonly settings: Settings;
  readonly document: DrainsDocument;
  /** Of a document that does not load. */
  readonly problems: number;
  /** Not even names could be read, so the document here is empty. */
  readonly refusal?: RedriverError;
}

export interface LoadedWhole extends Loaded {
  readonly text: string;
}

/** Settings and the drains document. Warnings go to stderr; problems are thrown, all at once. */
export function loadAll(command: Command, io: Io): LoadedWhole {
  return load(loadSettingsFor(command, io), io, refuse);
}

function refuse(_: Settings, problems: readonly Problem[]): never {
  throw new RedriverError("document-invalid", toLines(problems));
}

/** As loadAll, for commands that only read: of a document with problems they take names, source ids and addresses. */
export function loadForReading(command: Command, io: Io): Loaded {
  const loaded = loadForStatus(command, io);
  if (loaded.refusal !== undefined) throw loaded.refusal;
  return loaded;
}

/** As loadForReading, and of a document without names that can be read nothing: replicas may tell something still. */
export function loadForStatus(command: Command, io: Io): Loaded {
  return load(loadSettingsFor(command, io), io, (settings, found) => {
    const { file } = settings.drains;
    const rough = readBrokenDocument(file, "rough");
    const document = rough ?? takeInForce(file, io);
    const problems = countProblems(found);
    if (document === null) {
      const refusal = new RedriverError("document-invalid", toLines(found));
      return { settings, document: noDocument, problems, refusal };
    }
    const read = rough === null ? "" : ", so only its names, source ids and addresses are read";
    io.err(
      `warning: ${file} has ${counted(problems, "problem")}${read}; redriver rules check shows what is wrong\n`,
    );
    return { settings, document, problems };
  });
}

const noDocument: DrainsDocument = {
  hash: "",
  paused: false,
  sources: [],
  drains: [],
  indexes: [],
  notify: [],
};

/** As loadAll, for acts on drains and destinations, such as pauses: of a document with problems they take the names. */
export function loadNames(command: Command, io: Io): Loaded {
  return load(loadSettingsFor(command, io), io, (settings, found) => {
    const { file } = settings.drains;
    const lines = toLines(found);
    const names = readBrokenDocument(file);
    const document = names ?? takeInForce(file, io);
    if (document === null) {
      const advice = "name the document from before with --drains to go on without this one";
      throw new RedriverError("document-invalid", `${lines}\n${advice}`);
    }
    io.err(`warning: ${lines}\n`);
    if (names !== null) io.err("warning: the document is taken for the names of its drains alone\n");
    return { settings, document, problems: countProblems(found) };
  });
}

/** Of a file that cannot be parsed, or is gone, a daemon beside knows what it said before: the brake works. */
function takeInForce(file: string, io: Io): DrainsDocument | null {
  const document = io.inForce?.(file) ?? null;
  if (document !== null) io.err(`warning: the daemon that answers still works by ${file} as it was before\n`);
  return document;
}

/** Another document beside the same settings. `current`: that of the settings, whatever --drains names. */
export function loadOther(command: Command, io: Io, named: string): LoadedWhole {
  const settings = loadSettingsFor(command, io, { drains: named === "current" ? undefined : named });
  return load(settings, io, refuse);
}

/** `instead`: for a document that does not load. Throws `settings-invalid` for what does not go together. */
function load<Other extends Loaded>(
  settings: Settings,
  io: Io,
  instead: (settings: Settings, problems: readonly Problem[]) => Other,
): LoadedWhole | Other {
  const outcome = readDocumentFile(settings.drains.file, { now: Date.now() });
  if (!outcome.ok) return instead(settings, outcome.problems);
  for (const warning of outcome.warnings) io.err(`warning: ${formatProblem(warning)}\n`);
  const broken = checkFit(settings, outcome.document);
  if (broken.length > 0) throw new RedriverError("settings-invalid", toLines(broken));
  const { document, text } = outcome;
  return { settings, document, problems: 0, text };
}

function toLines(problems: readonly Problem[]): string {
  const [only] = problems;
  if (problems.length === 1 && only !== undefined) return formatProblem(only);
  const lines = firstProblems(problems).map((problem) => `  ${formatProblem(problem)}`);
  return `${countProblems(problems)} problems\n${lines.join("\n")}`;
}
