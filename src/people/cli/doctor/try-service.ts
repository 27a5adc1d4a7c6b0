import { writeFile } from "node:fs/promises";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { Core } from "../../../job/door.ts";
import { parseUrl } from "../../../job/message/destination-url.ts";
import { questions, type Question } from "../../operations/doctor/try-service/answers.ts";
import { nowhere } from "../../operations/doctor/try-service/own-messages.ts";
import { createTrial } from "../../operations/doctor/try-service/trial.ts";
import type { Teardown } from "../../../teardown.ts";
import { hasConsent, requireConsent } from "../input/consent.ts";
import { createStop } from "../input/stop-on-signals.ts";
import type { Io } from "../io.ts";
import { toJsonText } from "../output/json.ts";
import { printResult } from "../output/print.ts";

export type TrialOptions = Readonly<Partial<Record<"source" | "to" | "queue" | "out", string>>> &
  Readonly<Partial<Record<"clean" | "yes" | "json", boolean>>>;

/** Asks first; answers the exit code. */
export async function tryService(
  io: Io,
  core: Core,
  teardown: Teardown,
  options: TrialOptions,
): Promise<number> {
  const { to = nowhere, yes, clean = false } = options;
  const chosen = core.document.sources.filter(({ name }) => name === (options.source ?? name));
  const [config] = chosen;
  if (config === undefined || chosen.length > 1 || parseUrl(to) === null) {
    throw new RedriverError("command-misused", "expected --source with one source, and --to with a URL");
  }
  const what = clean
    ? `deletes what trials left in source ${config.name}`
    : `publishes 17 messages of its own through source ${config.name} to ${new URL(to).host}, each tried once, ` +
      "in about 60 calls, and deletes them at the end; pause its live drains before";
  io.err(`${what}\n`);
  requireConsent(io, yes, "a trial");
  if (!(await hasConsent(io, yes, () => "Go on?"))) return 3;
  const source = core.sources.get(config.id)!;
  const { headerPrefix, identities } = source.runtime;
  const queue = options.queue === undefined ? {} : { queue: options.queue };
  const aim = { to, headerPrefix, run: identities.token().slice(0, 8), ...queue };
  const stop = createStop(io, teardown);
  const trial = createTrial(source, aim, (step) => io.err(`${step}\n`));
  await trial.clean(stop.signal);
  if (clean) return 0;
  try {
    await trial.run(stop.stopping);
  } finally {
    await trial.clean(stop.signal);
  }
  const { answers: found, ...counts } = trial.result();
  const answers = Object.entries(questions).map(([question, about]) => {
    const answer = found[question as Question] ?? {
      verdict: "not-seen",
      seen: "the trial ended before",
      set: null,
    };
    return { question, about, ...answer };
  });
  const ok = counts.left === 0 && answers.every(({ verdict }) => verdict !== "differs");
  const record = { ok, source: config.name, at: new Date().toISOString(), headerPrefix, ...counts, answers };
  if (options.out !== undefined) await writeFile(options.out, toJsonText(record), { mode: 0o600 });
  printResult(io, options.json, record, () => {
    const lines = answers.map(({ verdict, about, seen, set }) => {
      const said = `${verdict.replace("-", " ")}${set === null ? "" : `: set ${set}`}`;
      return `${said.padEnd(10)}  ${about}: ${seen}\n`;
    });
    return `${lines.join("")}${counts.messages} messages, ${counts.calls} calls, ${counts.left} left behind\n`;
  });
  return ok ? 0 : 1;
}
