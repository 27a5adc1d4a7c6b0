import { z } from "zod";
import type { AuditLane } from "../../../job/contracts/audit.ts";
import { unlessRedisAway } from "../../../job/contracts/errors.ts";
import { type DrainRuntime, recordIntent } from "../../../job/door.ts";
import type { Did, Foresight, OperationCall } from "../define.ts";
import { toDestinationText } from "../destination-text.ts";
import { laneDrain, laneHost } from "../fields.ts";
import { chooseLane, type ChosenLane } from "./choose-lane.ts";
import { namesOfOrigin } from "../../../job/message/destination-names.ts";
import { hostPausesOf, pauseOf, type PauseRecord } from "../../../job/contracts/pauses.ts";

const input = z.strictObject({ host: laneHost, drain: laneDrain });
const row = z.object({
  source: z.string(),
  drain: z.string(),
  origin: z.string(),
  done: z.boolean(),
  said: z.string(),
});

export type LaneCall = OperationCall<z.output<typeof input>>;

export const laneOperation = {
  role: "operator",
  needs: "names",
  input,
  row,
  foresee: async ({
    core,
    input: { host, drain },
  }: Pick<LaneCall, "core" | "input" | "isWhole">): Promise<Foresight<ChosenLane>> => ({
    tells: [],
    warnings: [],
    question: null,
    found: await chooseLane(core, host, drain),
  }),
} as const;

/** `isDone`: what was asked for is done, or was done before. */
export function toLaneDid(
  { built, view }: ChosenLane,
  said: string,
  isDone: boolean,
): Did<z.output<typeof row>> {
  const { drain, origin } = view;
  const line = `${toDestinationText(origin)} of ${drain}: ${said}`;
  const source = built.runtime.config.id;
  return { said: line, row: { source, drain, origin, done: isDone, said }, isRefused: !isDone };
}

/** `why` of the lane: how it came to its state. A lane that moved since it was read leaves what was wanted. */
export async function recordLaneAct(
  { by, reason }: LaneCall,
  { built, view }: ChosenLane,
  { act, to }: { readonly act: "lane-probe" | "lane-reset"; readonly to: AuditLane["to"] },
): Promise<void> {
  const { drain, origin, state, why, sent, comeBacks } = view;
  const lane = { origin, from: state, to, why, sent, comeBacks: comeBacks.down + comeBacks.refused };
  await recordIntent({ ...built.runtime, by }, act, [], { drain, why: reason, lane });
}

/** Asks the daemons to look at the lanes now, and answers what nevertheless keeps everything back. */
export async function wakeUp(
  { core, requestSweep, isWhole }: LaneCall,
  { built, view }: ChosenLane,
): Promise<string> {
  // Without it the next sweep looks, 15 s later with the built-in setting.
  await unlessRedisAway(() => requestSweep(built.runtime.config.id), undefined);
  const waitsFor = whyNothingGoes(view, {
    isAnyReplicaUp: (await core.replicas.all()).length > 0,
    pauses: await built.pauses.all(),
    drain: isWhole ? core.drains.get(view.drain) : null,
  });
  if (waitsFor === null) return "";
  // An apply may be under way, which sends it at once.
  if (waitsFor === "plan mode") return `; ${toAdvice[waitsFor]}`;
  return `; nothing goes yet: ${toAdvice[waitsFor]}`;
}

const toAdvice: Readonly<Record<WaitsFor, string>> = {
  "no replica": "no replica is running",
  "drain unknown": "the document has no such drain",
  "plan mode": "its drain only plans, and an apply sends the probe",
  "drain paused": "its drain is paused (redriver resume)",
  "host paused": "its destination is paused (redriver resume --host)",
};

/** Why nothing is sent by a lane, whatever it allows. In reading order: the first needs a person first. */
export type WaitsFor = "no replica" | "drain unknown" | "plan mode" | "drain paused" | "host paused";

export interface Surroundings {
  readonly isAnyReplicaUp: boolean;
  readonly pauses: readonly PauseRecord[];
  /** Of the document; undefined if it does not have this drain; null if it does not load, so nobody knows. */
  readonly drain: DrainRuntime | undefined | null;
}

export function whyNothingGoes(
  lane: { readonly drain: string; readonly origin: string },
  { isAnyReplicaUp, pauses, drain }: Surroundings,
): WaitsFor | null {
  if (!isAnyReplicaUp) return "no replica";
  if (drain === undefined) return "drain unknown";
  if (drain?.config.mode === "plan") return "plan mode";
  if (drain?.config.paused === true || pauseOf(pauses, lane.drain) !== undefined) return "drain paused";
  const names = namesOfOrigin(lane.origin);
  return hostPausesOf(pauses, lane.drain).some(({ host }) => names.includes(host)) ? "host paused" : null;
}
