import { describeDocument } from "../../config/document/describe-document.ts";
import { describeSettings } from "../../config/settings/describe-settings.ts";
import { loadAll } from "../load.ts";
import type { Register } from "../command-context.ts";

export const registerConfig: Register = (program, { io }) => {
  const config = program.command("config").description("check or show settings and the drains document");
  config
    .command("check")
    .description("load both and say what is wrong; exit 78 when something is")
    .action((_options, command) => {
      const { settings, document } = loadAll(command, io);
      io.out(
        `ok: ${settings.drains.file}: ${document.sources.length} sources, ${document.drains.length} drains, hash ${document.hash}\n`,
      );
    });
  config
    .command("show")
    .description("print both as they are in effect, secrets left out")
    .action((_options, command) => {
      const { settings, document } = loadAll(command, io);
      io.out(`${describeSettings(settings)}---\n${describeDocument(document)}`);
    });
};
