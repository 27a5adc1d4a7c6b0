import type { Command } from "commander";
import {
  showEffectiveDocument,
  toEffectiveDocument,
} from "../../../config/document/show-effective-document.ts";
import { showEffectiveSettings, toEffectiveSettings } from "../../../config/settings/settings-file.ts";
import { counted } from "../../operations/phrases.ts";
import type { ArchiveConfig } from "../../../job/contracts/drains-document.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { Register } from "../io.ts";
import { loadAll } from "../load-config.ts";
import { printResult } from "../output/print.ts";
import { problemsOfSecrets } from "./secrets.ts";

/** The job is loaded only if there is an archive. */
async function lookAt(archive: ArchiveConfig) {
  const { lookAtVolume } = await import("../../../job/door.ts");
  return lookAtVolume(archive);
}

export const registerConfig: Register = (program, { io }) => {
  const config = program.command("config").description("check or show settings and the drains document");
  config
    .command("check")
    .description("load both and report what is wrong; exit 78 when something is")
    .option("--json", "print as JSON")
    .action(async (flags: { json?: boolean }, command: Command) => {
      const { settings, document } = loadAll(command, io);
      const problems = problemsOfSecrets(settings, document, io.env);
      if (problems.length > 0) throw new RedriverError("settings-invalid", problems.join("\n  "));
      const seen = document.archive === undefined ? null : await lookAt(document.archive);
      if (seen?.isCertain === true) throw new RedriverError("document-invalid", seen.complaint);
      if (seen !== null && seen.verdict !== "fit") io.err(`warning: ${seen.complaint}\n`);
      const { file } = settings.drains;
      const { hash, sources, drains } = document;
      const counts = `${counted(sources.length, "source")}, ${counted(drains.length, "drain")}`;
      printResult(
        io,
        flags.json,
        { ok: true, file, hash, sources: toNames(sources), drains: toNames(drains) },
        () => `ok: ${file}: ${counts}, hash ${hash}\n`,
      );
    });
  config
    .command("show")
    .description("print both as they are in effect, secrets left out")
    .option("--json", "print as JSON")
    .action((flags: { json?: boolean }, command: Command) => {
      const { settings, document, text } = loadAll(command, io);
      const { hash } = document;
      const shown = {
        hash,
        settings: toEffectiveSettings(settings),
        document: toEffectiveDocument(text),
      };
      printResult(
        io,
        flags.json,
        shown,
        () => `${showEffectiveSettings(settings)}---\n${showEffectiveDocument(text, hash)}`,
      );
    });
};

function toNames(all: readonly { readonly name: string }[]): readonly string[] {
  return all.map(({ name }) => name);
}
