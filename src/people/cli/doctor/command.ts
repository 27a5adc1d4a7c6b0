import { RedriverError } from "../../../job/contracts/errors.ts";
import { examine } from "../../operations/doctor/examine.ts";
import type { DoctorFinding } from "../../operations/doctor/finding.ts";
import { counted, present } from "../../operations/phrases.ts";
import type { Register } from "../command-context.ts";
import { loadAll } from "../load-config.ts";
import { printResult } from "../output/print.ts";
import { toTable } from "../output/table.ts";
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
    .option("--try-service", "instead, publish 17 messages that fail, and see what becomes of them")
    .option("--clean", "with --try-service: only delete what an earlier trial left")
    .option("--source <name>", "which source to try")
    .option("--to <url>", `an address that fails; default: ${nowhere}`)
    .option("--queue <name>", "a queue that one of them goes through")
    .option("--out <file>", "write the record of the trial there, as JSON; - is stdout")
    .option("--yes", "do not ask")
    .action(async (options: TrialOptions & { readonly tryService?: boolean }, command) => {
      const { tryService: isTrial = false, json: _, ...ofTrial } = options;
      if (!isTrial && Object.keys(ofTrial).length > 0) {
        throw new RedriverError("command-misused", "all flags but --json are of --try-service");
      }
      const loaded = loadAll(command, io);
      if (isTrial) return exitWith(await tryService(io, loaded, options));
      const findings = await withCore(io, loaded, {}, (core) => examine(core, AbortSignal.timeout(withinMs)));
      const isWell = findings.every(({ state }) => state !== "failed");
      printResult(io, options.json, { ok: isWell, findings }, () => toText(io.columns, findings));
      exitWith(isWell ? 0 : 1);
    });
};

function toText(columns: number, findings: readonly DoctorFinding[]): string {
  const countOf = (state: DoctorFinding["state"], what: string): string => {
    const count = findings.filter((one) => one.state === state).length;
    return count === 0 ? "" : counted(count, what);
  };
  const failures = countOf("failed", "failure");
  const verdict =
    failures === ""
      ? present(["a daemon can work here", countOf("warning", "warning")]).join("; ")
      : `${failures}: a daemon would not work`;
  const table = toTable(columns, findings, {
    state: ({ state }) => (state === "failed" ? "FAILED" : state),
    finding: ({ subject, message }) => `${subject}: ${message}`,
  });
  return `${verdict}\n${table}`;
}
