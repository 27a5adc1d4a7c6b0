/** What the two acts on a lane share. */
import { z } from "zod";
import type { AuditLane } from "../../../job/contracts/audit.ts";
import { unlessRedisAway } from "../../../job/contracts/errors.ts";
import { recordIntent } from "../../../job/door.ts";
import type { OperationCall, Did, Foresight } from "../define.ts";
import { toDestinationText } from "../destination-text.ts";
import { laneDrain, laneHost } from "../fields.ts";
import { chooseLane, type ChosenLane } from "./choose-lane.ts";
import { whyNothingGoes, type WaitsFor } from "./why-nothing-goes.ts";

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
  return waitsFor === null ? "" : `; nothing goes yet: ${toAdvice[waitsFor]}`;
}

const toAdvice: Readonly<Record<WaitsFor, string>> = {
  "no replica": "no replica is running",
  "drain unknown": "the document has no such drain",
  "plan mode": "its drain is in plan mode",
  "drain paused": "its drain is paused (redriver resume)",
  "host paused": "its destination is paused (redriver resume --host)",
};
