/** What a person does to the lane of a destination. */
import { RedriverError } from "../../../job/contracts/errors.ts";
import { probe, reset, type LaneAct } from "../../operations/lanes/acts.ts";
import { chooseLane } from "../../operations/lanes/choose-lane.ts";
import type { Act, ActField, Doing, Done, Values } from "./act.ts";
import { toCommandLine, toReasonWords } from "./command-line.ts";
import { toHost } from "./pausing.ts";

const fields: readonly ActField[] = [
  { name: "host", label: "Destination", kind: "hidden" },
  { name: "drain", label: "Drain", kind: "hidden" },
];

const common = { area: "failures", role: "operator", asksReason: true, fields } as const;

export const probeAct: Act = {
  ...common,
  name: "probe",
  title: "Probe now",
  about:
    "Publishes one of its dead letters, once and without retries. If that fails again, it comes back to the queue, the lane stays halted, and the next probe is 1.5 times as late.",
  command: (values) => toLine("probe", values),
  run: (values, doing) => actOn(values, doing, probe),
};

export const resetLaneAct: Act = {
  ...common,
  name: "reset-lane",
  title: "Reset the lane",
  about:
    "Forgets what the lane has learned. It starts over with a few canaries, also if it is open or halted.",
  command: (values) => toLine("reset", values),
  run: (values, doing) => actOn(values, doing, reset),
};

function toLine(name: string, values: Values): string {
  const { host, drain } = values;
  const ofDrain = drain === undefined ? [] : ["--drain", drain];
  return toCommandLine("lanes", name, host, ...ofDrain, ...toReasonWords(values));
}

async function actOn(values: Values, doing: Doing, act: LaneAct): Promise<Done> {
  const { core, by, requestSweep } = doing;
  const host = toHost(values["host"]);
  if (host === undefined) throw new RedriverError("command-misused", "the form names no destination");
  const lane = await chooseLane(core, host, values["drain"]);
  const order = { reason: values["reason"] ?? "", by };
  const { said, isDone } = await act(lane, order, { core, requestSweep, isWhole: true });
  return { said: `${lane.view.origin} of ${lane.view.drain}: ${said}`, isRefused: !isDone };
}
