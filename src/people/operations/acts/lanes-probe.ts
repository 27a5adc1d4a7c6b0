import type { LaneState } from "../../../job/contracts/lanes.ts";
import { defineOperation } from "../define.ts";
import { laneOperation, recordLaneAct, toLaneDid, wakeUp, type LaneCall } from "../lanes/acts.ts";
import type { ChosenLane } from "../lanes/choose-lane.ts";
import { plannedCosts, toProber } from "../lane-words.ts";
import { toTime } from "../phrases.ts";

/** As the lane machine and the lineage count it. */
const costs =
  "Publishes one of its dead letters, once and without retries. If it is delivered, what the rules send follows, step by step. If it fails again, it comes back to the queue, the lane stays halted, and the next probe is 1.5 times as late. Without an answer, or with a 5xx, it keeps its attempt.";

export const probe = defineOperation({
  ...laneOperation,
  words: "lanes probe",
  path: "/lanes/probe",
  title: "Probe now",
  example: { host: "pay.example.com", reason: "they say it is back" },
  mayRefuse: true,
  reasonOf: "a probe",
  about: "try a halted destination now: one message, as any probe",
  costs,
  afterwards: "redriver lanes shows what becomes of it",
  async foresee(call) {
    const foreseen = await laneOperation.foresee(call);
    const { state, drain } = foreseen.found.view;
    const isPlanned = toProber(call.isWhole ? call.core.drains.get(drain)?.config.mode : null) === "apply";
    return { ...foreseen, tells: state === "halted" ? [isPlanned ? plannedCosts : costs] : [] };
  },
  async *run(call, chosen) {
    const { said, isDone } = await probeNow(call, chosen);
    yield toLaneDid(chosen, said, isDone);
  },
});

async function probeNow(call: LaneCall, { built, view: before }: ChosenLane) {
  const { lanes } = built.runtime;
  // Who types a reason has looked a while ago.
  const [view = before] = await lanes.viewsOf([before.lane]);
  const chosen = { built, view };
  if (view.state !== "halted") return notHalted(view.state);
  // Before the audit: nothing is asked for.
  if (view.sent > 0) return alreadyOut(view.lastUsedAt);
  await recordLaneAct(call, chosen, { act: "lane-probe", to: view.state });
  const found = await lanes.probeNow(view.lane);
  if (found.kind === "not-halted") return notHalted(found.state);
  if (found.kind === "under-way") return alreadyOut(found.since);
  const isDone = found.kind === "due";
  const said = isDone
    ? `its next probe is due now${await wakeUp(call, chosen)}`
    : "its lane was forgotten a moment ago: it starts over with a few messages";
  return { said, isDone };
}

function alreadyOut(since: number) {
  const at = toTime(since).slice(11);
  return { said: `a probe is already out since ${at}; redriver lanes shows its answer`, isDone: false };
}

function notHalted(state: LaneState) {
  return { said: `it is ${state}; only a halted lane is probed`, isDone: false };
}
