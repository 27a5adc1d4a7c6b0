import { misused } from "../../../job/contracts/errors.ts";
import { type DoctorFinding, examine } from "../../operations/doctor/examine.ts";
import { chooseSource } from "../../operations/choose-drains.ts";
import { counted, present } from "../../operations/phrases.ts";
import type { Register, Io } from "../io.ts";
import { problemsOfSecrets } from "../config/secrets.ts";
import { loadAll, type Loaded } from "../load-config.ts";
import { printResult, toJsonText } from "../output/print.ts";
import { toTable } from "../output/table.ts";
import { withCore, createStop } from "../with-core.ts";
import { nowhere } from "../../operations/doctor/try-service/own-messages.ts";
import { createTrial } from "../../operations/doctor/try-service/trial.ts";
import { hasConsent, requireConsent } from "../input/questions.ts";
import { openNamedOutput } from "../output/named-output.ts";

/** Longer than the timeouts of any call, so that each call's own error is told. */
const withinMs = 120_000;

export const registerDoctor: Register = (program, { io, exitWith }) => {
  program
    .command("doctor")
    .description(
      "look at Redis, secrets, archive, indexes, callbacks and clocks; exit 1 when no daemon would work",
    )
    .option("--json", "print as JSON")
    .option("--try-service", "instead, publish 12 messages that fail, and see what becomes of them")
    .option("--clean", "with --try-service: only delete what an earlier trial left")
    .option("--source <name>", "which source to try")
    .option("--to <url>", `an address that fails; default: ${nowhere}`)
    .option("--out <file>", "write the record of the trial there, as JSON; - is stdout")
    .option("--yes", "do not ask")
    .action(async (options: TrialOptions, command) => {
      const { tryService: isTrial = false, json: _, ...others } = options;
      const loaded = loadAll(command, io);
      if (isTrial) return exitWith(await tryService(io, loaded, options));
      if (Object.keys(others).length > 0) throw misused("all flags but --json are of --try-service");
      const { settings, document } = loaded;
      const seen = await withCore(io, loaded, {}, (core) =>
        examine(core, AbortSignal.timeout(withinMs), io.env),
      );
      const findings = [
        ...seen,
        ...problemsOfSecrets(settings, document, io.env).map((message): DoctorFinding => ({
          subject: "secrets",
          state: "failed",
          message,
        })),
      ];
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

type TrialOptions = Readonly<Partial<Record<"source" | "to" | "out", string>>> &
  Readonly<Partial<Record<"tryService" | "clean" | "yes" | "json", boolean>>>;

const tryService = (io: Io, loaded: Loaded, options: TrialOptions): Promise<number> =>
  withCore(io, loaded, {}, async (core, teardown) => {
    const { source: named, to = nowhere, out, yes, json = false, clean = false } = options;
    const source = core.sources.get(chooseSource(core, named))!;
    const { name } = source.runtime.config;
    if (!URL.canParse(to) || to.includes("#")) throw misused("expected --to with a URL");
    if (out !== undefined && clean) throw misused("--clean writes no record, so it takes no --out");
    if (out === "-" && json) throw misused("--out - takes stdout, so --json has no place");
    const messages = `publishes 12 messages of its own through source ${name} to ${new URL(to).host}`;
    const rest = "each tried once, in about 60 calls, and deletes them; pause its live drains before";
    io.err(clean ? `deletes what trials left in source ${name}\n` : `${messages}, ${rest}\n`);
    requireConsent(io, yes, "a trial");
    if (!(await hasConsent(io, yes, () => "Go on?"))) return 3;
    // Before anything is sent.
    const output = out === undefined ? null : await openNamedOutput(out, io);
    if (output !== null) teardown.add("record of the trial", output.discard);
    const stop = createStop(io, teardown);
    const trial = createTrial(source, new URL(to).href, stop, (step) => io.err(`${step}\n`));
    if (clean) return trial.clean().then(() => 0);
    const record = await trial.run();
    await output?.write(toJsonText(record));
    await output?.commit();
    printResult(out === "-" ? { out: io.err } : io, json, record, () => {
      const table = toTable(io.columns, record.answers, {
        answer: ({ verdict, set }) => `${verdict.replace("-", " ")}${set === null ? "" : `: set ${set}`}`,
        question: ({ about, seen }) => `${about}: ${seen}`,
      });
      return `${table}${record.messages} messages, ${record.calls} calls, ${record.left} left behind\n`;
    });
    return record.ok ? 0 : 1;
  });
