import { RedriverError } from "../../../job/contracts/errors.ts";
import { parseUrl } from "../../../job/message/destination-url.ts";
import { nowhere } from "../../operations/doctor/try-service/own-messages.ts";
import { createTrial } from "../../operations/doctor/try-service/trial.ts";
import { hasConsent, requireConsent } from "../input/consent.ts";
import { createStop } from "../input/stop-on-signals.ts";
import type { Io } from "../io.ts";
import type { Loaded } from "../load-config.ts";
import { toJsonText } from "../output/json.ts";
import { openNamedOutput } from "../output/named-output.ts";
import { printResult } from "../output/print.ts";
import { toTable } from "../output/table.ts";
import { withCore } from "../with-core.ts";

export type TrialOptions = Readonly<Partial<Record<"source" | "to" | "queue" | "out", string>>> &
  Readonly<Partial<Record<"clean" | "yes" | "json", boolean>>>;

/** Asks first; answers the exit code. */
export const tryService = (io: Io, loaded: Loaded, options: TrialOptions): Promise<number> =>
  withCore(io, loaded, {}, async (core, teardown) => {
    const { to = nowhere, queue, out, yes, json = false, clean = false } = options;
    const chosen = core.document.sources.filter(({ name }) => name === (options.source ?? name));
    const [config] = chosen;
    if (config === undefined || chosen.length > 1 || parseUrl(to) === null) {
      throw new RedriverError("command-misused", "expected --source with one source, and --to with a URL");
    }
    if (out !== undefined && (clean || (out === "-" && json))) {
      throw new RedriverError(
        "command-misused",
        clean
          ? "--clean writes no record, so it takes no --out"
          : "--out - takes stdout, so --json has no place",
      );
    }
    const what = clean
      ? `deletes what trials left in source ${config.name}`
      : `publishes 17 messages of its own through source ${config.name} to ${new URL(to).host}, each tried once, ` +
        "in about 60 calls, and deletes them at the end; pause its live drains before";
    io.err(`${what}\n`);
    requireConsent(io, yes, "a trial");
    if (!(await hasConsent(io, yes, () => "Go on?"))) return 3;
    // Before anything is sent.
    const output = out === undefined ? null : await openNamedOutput(out, io);
    if (output !== null) teardown.add("record of the trial", output.discard);
    const { signal, stopping } = createStop(io, teardown);
    const trial = createTrial(core.sources.get(config.id)!, { to, queue }, (step) => io.err(`${step}\n`));
    await trial.clean(signal);
    if (clean) return 0;
    try {
      await trial.run(stopping);
    } finally {
      await trial.clean(signal);
    }
    const record = trial.record();
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
