/** Holding drains, a destination or a kind of failure back, and letting them go on. */
import { defined } from "../../../job/message/defined.ts";
import { toDestinationName, type DestinationName } from "../../../job/message/destination-names.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import { parseDuration } from "../../../job/rules/durations.ts";
import { pause, resume } from "../../operations/pauses/acts.ts";
import { onEachTarget, type PauseAct, type TargetsOrder } from "../../operations/pauses/on-each-target.ts";
import type { Act, ActField, Doing, Done, Values } from "./act.ts";
import { toCommandLine, toReasonWords } from "./command-line.ts";

const targetFields: readonly ActField[] = ["drain", "all", "host", "failure"].map((name) => ({
  name,
  label: name,
  kind: "hidden",
}));

const common = { area: "now", role: "operator", asksReason: true } as const;

export const pauseAct: Act = {
  ...common,
  name: "pause",
  title: "Pause",
  fields: [
    ...targetFields,
    {
      name: "for",
      label: "For how long",
      kind: "choice",
      choices: [
        ["", "until somebody resumes it"],
        ["30m", "30 minutes"],
        ["2h", "2 hours"],
        ["1d", "1 day"],
      ],
    },
  ],
  command: (values) =>
    toCommandLine(
      "pause",
      ...toTargetWords(values),
      ...option("--for", values["for"]),
      ...toReasonWords(values),
    ),
  run: (values, doing) => actOn(values, doing, pause),
};

export const resumeAct: Act = {
  ...common,
  name: "resume",
  title: "Resume",
  fields: targetFields,
  command: (values) => toCommandLine("resume", ...toTargetWords(values), ...toReasonWords(values)),
  run: (values, doing) => actOn(values, doing, resume),
};

function toTargetWords({ drain, all, host, failure }: Values): readonly (string | undefined)[] {
  return [drain, all && "--all", ...option("--host", host), ...option("--failure", failure)];
}

function option(flag: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [flag, value];
}

async function actOn(values: Values, { core, by }: Doing, act: PauseAct): Promise<Done> {
  const lines: string[] = [];
  for await (const { line } of onEachTarget(core, toOrder(values, by), act)) lines.push(line);
  return { said: lines.join("; ") };
}

function toOrder(values: Values, by: string): TargetsOrder {
  const { drain, all, failure, reason: why = "" } = values;
  // A destination or a failure is meant in every drain, if none is named.
  if ([drain, all, values["host"], failure].every((one) => one === undefined)) {
    throw new RedriverError("command-misused", "the form names no drain, destination or failure");
  }
  const [host, forMs] = [toHost(values["host"]), toForMs(values["for"])];
  const names = drain === undefined ? [] : [drain];
  return { names, reason: why, by, ...defined({ host, failure, forMs }) };
}

export function toHost(text: string | undefined): DestinationName | undefined {
  if (text === undefined) return undefined;
  const name = toDestinationName(text);
  if (name !== null) return name;
  throw new RedriverError("command-misused", `${JSON.stringify(text)} is no destination`);
}

function toForMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const span = parseDuration(text);
  if (span.ok && span.value > 0) return span.value;
  throw new RedriverError("command-misused", "expected a duration in s, m, h or d, such as 30m, 2h or 1d");
}
