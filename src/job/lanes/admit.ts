/**
 * The gate of the lanes: asks which letters of a page may be published now, in one round trip.
 *
 *   letters, by destination ─► ask ─┬─ canaries ─► go on, sent in a way that gives silence a meaning
 *                                   ├─ plain ────► go on as they are
 *                                   └─ others ───► held: lane-watched, still-under-way, lane-halted
 */
import { isKnownBad } from "../message/come-back-kind.ts";
import { defined } from "../message/defined.ts";
import type { LaneConfig } from "../contracts/drains-document.ts";
import type { LaneAnswer, LaneUnused } from "../contracts/lanes.ts";
import { grantedForMs } from "../contracts/ledger-limits.ts";
import { groupBy } from "../../group-items-by-key.ts";
import { hold } from "../page/fate.ts";
import { isNewlyExhausted, mayBeKept } from "../page/decide-letter.ts";
import type { Gate } from "../page/gates/gate.ts";
import { isByService, type Letter } from "../page/letter.ts";
import { canaryTimeoutMs, sendAsCanary } from "../page/publish/canary-variant.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { canariesByStep, chooseCanaries } from "./choose-canaries.ts";
import { toLaneId } from "../message/short-id.ts";
import { laneOriginOf, laneOriginOfLetter } from "../message/destination-url.ts";
import { resumeMinutesOf, resumeMinutesBeside } from "./resume-minutes.ts";

/** A lane is not asked again so soon: a halt spares little until then, and canaries are spread over a period. */
const partOfWatch = 1 / 20;

export const admission: Gate = {
  letsReconcilingPass: true,
  asking({ config: { lane } }, letters, now) {
    if (lane === undefined) return [];
    // A canary has its grant.
    return letters.filter(({ admittedAt, sendAs }) =>
      sendAs === null ? now - admittedAt > lane.watchMs * partOfWatch : now > sendAs.endsAt,
    );
  },
  async ask(drain, letters) {
    const { lane } = drain.config;
    if (lane === undefined) return;
    for (const one of letters) if (one.sendAs !== null) hold(one, "lane-watched");
    await admit(
      drain,
      lane,
      letters.filter(({ sendAs }) => sendAs === null),
    );
  },
};

/**
 * Holds those whose lane is suspected, and answers the others, which are to be parked. Throws `redis-unavailable`.
 */
export async function spareExhausted(
  { config: { name, lane }, source }: DrainRuntime,
  letters: readonly Letter[],
): Promise<readonly Letter[]> {
  const exhausted = letters.filter((one) => one.fate === null && isNewlyExhausted(one));
  const byOrigin = groupBy(exhausted.filter(mayBeKept), ({ content }) => laneOriginOfLetter(content));
  const groups = [...byOrigin].flatMap(([origin, some]) => (origin === null ? [] : [{ origin, some }]));
  if (lane !== undefined && groups.length > 0) {
    const asks = groups.map(({ origin }) => {
      return { lane: toLaneId(name, origin), origin, wanted: 0, isAgain: false, resumeMinutes: [] };
    });
    const { answers } = await source.lanes.ask(name, { ...lane, ...proofOf(source) }, asks);
    for (const [index, { some }] of groups.entries()) {
      const answer = answers[index];
      if (answer?.isSuspect === true) for (const one of some) hold(one, reasonOf(answer));
    }
  }
  return exhausted.filter(({ fate }) => fate === null);
}

async function admit(drain: DrainRuntime, lane: LaneConfig, letters: readonly Letter[]): Promise<void> {
  const [first] = letters;
  if (first === undefined) return;
  const { name } = drain.config;
  const { lanes, ledger, clock } = drain.source;
  const askedAt = clock.monotonic();
  const isAgain = first.admittedAt !== -Infinity;
  const groups = [...groupBy(letters, ({ due }) => laneOriginOf(due.target))].map(([origin, some]) => {
    // The silence of a message with a time of its own means nothing, and that of one with its own retries little.
    // Where callbacks tell, what can carry none waits for what can.
    const timely = some.filter(({ due }) => !due.isSentAhead);
    const inBatches = timely.filter((one) => !isByService(one));
    const reporting = inBatches.filter(({ due }) => due.proofAddress !== null);
    const asking = [reporting, inBatches].find((part) => part.length > 0) ?? timely;
    const apart = some.filter((one) => !asking.includes(one));
    const ask = {
      lane: toLaneId(name, origin),
      origin,
      wanted: asking.length,
      isAgain,
      isSilent: reporting.length === 0,
      resumeMinutes: resumeMinutesOf(worthRecalling(asking)),
    };
    return { ask, asking, apart };
  });
  const asks = groups.map(({ ask }) => ask);
  const { answers } = await lanes.ask(name, { ...lane, ...proofOf(drain.source) }, asks);
  const timeoutMs = canaryTimeoutMs(lane.watchMs);
  const endsAt = askedAt + grantedForMs(ledger.limits);
  const unused: LaneUnused[] = [];
  for (const [index, { ask, asking, apart }] of groups.entries()) {
    const answer = answers[index];
    if (answer === undefined) continue;
    const step = { lane: ask.lane, step: answer.step };
    const canaries = new Set(chooseCanaries(asking, answer));
    for (const one of canaries) {
      sendAsCanary(one, { step, isProbe: answer.state === "halted", timeoutMs, endsAt });
    }
    const others = asking.filter((one) => !canaries.has(one));
    const rest = [...others.slice(answer.plain), ...(answer.state === "open" ? [] : apart)];
    for (const one of rest) hold(one, reasonOf(answer), answer.until ?? undefined, ask.origin);

    const count = answer.canaries - canaries.size;
    const resumeMinutes = resumeMinutesBeside(ask.resumeMinutes, worthRecalling(rest));
    if (count > 0 || resumeMinutes.length > 0) unused.push({ ...step, count, resumeMinutes });
  }
  for (const one of letters) one.admittedAt = askedAt;
  await lanes.giveBack(unused);
}

function reasonOf({ state, isUnknown }: LaneAnswer) {
  if (state === "halted") return "lane-halted";
  return isUnknown ? "still-under-way" : "lane-watched";
}

/** What it takes to know that a canary was delivered. Without either, silence is taken for it. */
function proofOf({ config, deliveryWatch }: SourceRuntime): Pick<LaneConfig, "byReport" | "byAsking"> {
  return defined({
    byReport: config.callbacks === undefined ? undefined : (true as const),
    byAsking: deliveryWatch.isOn() ? (true as const) : undefined,
  });
}

/** Gives back grants of canaries that were not published. One in doubt counts only if it comes back. */
export async function giveBackUnpublished({ source }: DrainRuntime, letters: readonly Letter[]) {
  const unpublished: Letter[] = [];
  for (const one of letters) {
    const { sendAs, fate } = one;
    const isSent = fate?.kind === "in-doubt" || (fate?.kind === "published" && fate.isOfNow);
    if (sendAs !== null && !isSent) unpublished.push(one);
  }
  await source.lanes.giveBack(
    canariesByStep(unpublished).map(({ lane, step, canaries }) => {
      return { lane, step, count: canaries.length, resumeMinutes: [] };
    }),
  );
}

/** Known bad messages are recalled only alone: a lane that only refuses would be tried with them for ever. */
function worthRecalling(letters: readonly Letter[]): readonly Letter[] {
  const others = letters.filter(({ lineage }) => !isKnownBad(lineage));
  return others.length > 0 ? others : letters;
}
