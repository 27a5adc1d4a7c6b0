import { examine } from "../../operations/doctor/examine.ts";
import type { DoctorFinding } from "../../operations/doctor/finding.ts";
import { counted } from "../../operations/phrases.ts";
import type { Register } from "../command-context.ts";
import { loadAll } from "../load-config.ts";
import { printResult } from "../output/print.ts";
import { withCore } from "../with-core.ts";
import { nowhere } from "../../operations/doctor/try-service/own-messages.ts";
import { tryService, type TrialOptions } from "./try-service.ts";

/** Longer than the timeouts of any call, so that each call's own error is told. */
const withinMs = 120_000;

export const registerDoctor: Register = (program, { io, exitWith }) => {
  program
    .command("doctor")
    .description("look at Redis, tokens, archive, callbacks and clocks; exit 1 when a daemon would not work")
    .option("--json", "print as JSON")
    .option(
      "--try-service",
      "instead, publish 17 messages that fail, and see what the service does with them",
    )
    .option("--clean", "with --try-service: only delete what an earlier trial left")
    .option("--source <name>", "which source to try")
    .option("--to <url>", `an address that fails; default: ${nowhere}`)
    .option("--queue <name>", "a queue that one of them goes through")
    .option("--out <file>", "write the record of the trial there, as JSON")
    .option("--yes", "do not ask")
    .action(async (options: TrialOptions & { readonly tryService?: boolean }, command) => {
      const loaded = loadAll(command, io);
      if (options.tryService === true) {
        exitWith(await withCore(io, loaded, {}, (core, teardown) => tryService(io, core, teardown, options)));
        return;
      }
      const findings = await withCore(io, loaded, {}, (core) => examine(core, AbortSignal.timeout(withinMs)));
      const isWell = findings.every(({ state }) => state !== "failed");
      printResult(io, options.json, { ok: isWell, findings }, () => toText(findings));
      exitWith(isWell ? 0 : 1);
    });
};

const marks: Readonly<Record<DoctorFinding["state"], string>> = {
  ok: "ok     ",
  warning: "warning",
  failed: "FAILED ",
};

function toText(findings: readonly DoctorFinding[]): string {
  const lines = findings.map(({ subject, state, message }) => `${marks[state]}  ${subject}: ${message}\n`);
  const failures = findings.filter(({ state }) => state === "failed").length;
  const warnings = findings.filter(({ state }) => state === "warning").length;
  const end =
    failures > 0
      ? `${counted(failures, "failure")}: a daemon would not work\n`
      : `a daemon can work here${warnings === 0 ? "" : `; ${counted(warnings, "warning")}`}\n`;
  return lines.join("") + end;
}
