/** What needs a person at halted destinations: the answer that halted each, how many wait, and who works on it. */
import { formatDuration } from "../../../job/rules/durations.ts";
import { hostOf } from "../../../job/message/destination-url.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import { cutMiddle, toDestinationText } from "../destination-text.ts";
import { ifAny, number, present, toCertain, toLeft, toOwnersText, toTime } from "../phrases.ts";
import { probeFailedAgain } from "../failures/time-line.ts";
import { rankInEvidence, toAnswerText } from "../../read/answer-text.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { sumOf, toCount, toExpired, toOnce, type Certain } from "../../read/totals.ts";
import { appliesByProbe, toProber, type Prober } from "../lane-words.ts";
import { need, type FirstAct, type Need } from "./need.ts";
import type { Status } from "./read.ts";
import { toPausedBy } from "./verdict.ts";

type Drain = Status["drains"][number];

const maxHalted = 3;

export function toHalted({ drains, sources, at }: Status): readonly Need[] {
  const found = drains
    .flatMap((drain) => drain.destinations.map((one) => ({ drain, one, lane: one.lane })))
    .filter(
      (all): all is typeof all & { lane: LaneStanding } =>
        all.lane?.state === "halted" && all.one.waiting > 0,
    )
    .toSorted(
      (a, b) =>
        Number(a.one.owners.length > 0) - Number(b.one.owners.length > 0) || b.one.waiting - a.one.waiting,
    );
  const isHeld = ({ drain, one }: (typeof found)[number]): boolean =>
    drain.paused !== null || one.pause !== null;
  const all = found.filter((one) => !isHeld(one));
  const fails = all.length > 1 ? ` and ${number(all.length - 1)} more fail` : " fails";
  const waiting = toOnceByOrigin(
    all.map(({ drain, one }) => ({ ...one, source: drain.source })),
    drains,
    "waiting",
  );
  return [...all, ...found.filter(isHeld)].slice(0, maxHalted).map((halted) => {
    const { drain, one, lane } = halted;
    const host = toDestinationText(one.origin);
    const { answer, count } = toAnswerOf(sources, drain, one);
    const ofIt = count < one.waiting && count > 0 ? ` (${number(count)} with this answer)` : "";
    const pause = one.pause ?? drain.paused;
    const prober = toProber(drain.mode);
    return need(pause === null ? "bad" : "warn", `Receiver ${host} ${answer}`, {
      ...(pause === null && {
        headline: `halted: ${cutMiddle(host, maxHost)}${fails}, ${toCertain(waiting)} wait`,
      }),
      detail: present([
        toOwnersOfKinds({ sources, at }, drain.source, one.ownersOfKinds),
        `${toLeft(one.waiting, one)} wait${ofIt}, ${toLaneWords(lane)}`,
        pause !== null && `nothing is tried there, ${toPausedBy(pause, at)}`,
        pause === null && prober === "apply" && `${drain.drain} only plans. ${appliesByProbe}.`,
      ]).join("; "),
      first: toFirstOf(halted, pause !== null, prober),
      owners: toOwnersText(one.owners, at),
    });
  });
}

function toFirstOf(
  {
    drain: { drain },
    one: { origin },
    lane,
  }: { drain: Drain; one: Drain["destinations"][number]; lane: LaneStanding },
  isPaused: boolean,
  prober: Prober,
): FirstAct {
  if (isPaused) return { kind: "paused" };
  if (prober === "apply") return { kind: "plan", drain, host: hostOf(origin) };
  return { kind: "probe", drain, origin, lane, prober };
}

const maxOwners = 3;

/** `priya works on 503 no route since 09:12 UTC; nobody works on the others`; empty: nobody works on any. */
export function toOwnersOfKinds(
  { sources, at }: Pick<Status, "sources" | "at">,
  source: string,
  taken: Drain["destinations"][number]["ownersOfKinds"],
): string {
  if (taken.length === 0) return "";
  const kinds = kindsOf(sources, source);
  const texts = taken.slice(0, maxOwners).map(({ failure, ...owner }) => {
    const kind = kinds.get(failure);
    return toOwnersText([owner], at, kind === undefined ? failure : toAnswerText(kind));
  });
  const more = taken.length - maxOwners;
  return present([...texts, ifAny(more, "more have an owner"), "nobody works on the others"]).join("; ");
}

/** What waits in these rows, each record once: drains that list the same have a row each for its destination. */
export function toOnceByOrigin(
  rows: readonly (Drain["destinations"][number] & { readonly source: string })[],
  drains: readonly Drain[],
  name: "waiting" | "parked",
): Certain {
  const parts = [...groupBy(rows, ({ source, origin }) => `${source} ${origin}`).values()].map((some) => {
    const [first] = some;
    const all = drains
      .filter(({ source }) => source === first?.source)
      .flatMap(({ destinations }) => destinations.filter(({ origin }) => origin === first?.origin));
    return toOnce(
      some,
      all.filter((one) => one[name] > 0),
      name,
    );
  });
  const isExact = parts.every((one) => one.isExact);
  return { count: sumOf(parts, toCount), isExact, ...toExpired(parts, toCount) };
}

const maxHost = 40;

/** The answer that halted it, and how many wait with it. If that is not known, the answer that most of them got. */
function toAnswerOf(
  sources: Status["sources"],
  { source, failures = [] }: Drain,
  { origin, lane }: Drain["destinations"][number],
): { readonly answer: string; readonly count: number } {
  const kinds = kindsOf(sources, source);
  const why = lane?.why ?? null;
  const [most] = failures
    .flatMap(({ id, waiting }) => {
      const kind = kinds.get(id);
      if (waiting === 0 || kind?.origin !== origin) return [];
      return [{ kind, waiting, rank: why === null ? 0 : rankInEvidence(why, kind) }];
    })
    .filter(({ rank }) => rank < Infinity)
    .toSorted((one, other) => one.rank - other.rank || other.waiting - one.waiting);
  if (most === undefined) return { answer: "is halted", count: 0 };
  const answer = toAnswerText(most.kind);
  const verb = answer.startsWith("no answer") ? "gives" : "answers";
  return { answer: `${verb} ${answer}`, count: most.waiting };
}

/** `halted for 4m: a probe failed again, 503, sent at 12:03:10 UTC`. */
export function toLaneWords({ sinceMs, why, sent, lastProbeAt }: LaneStanding): string {
  const since = sinceMs === null ? "" : ` for ${formatDuration(Math.max(1_000, sinceMs))}`;
  const isOfProbe = why?.startsWith(probeFailedAgain) === true && sent === 0 && lastProbeAt !== null;
  const at = isOfProbe ? `, sent at ${toTime(lastProbeAt).slice(11)}` : "";
  return `halted${since}${why === null ? "" : `: ${why}${at}`}`;
}

export function kindsOf(sources: Status["sources"], source: string) {
  return new Map(sources.find((one) => one.source === source)?.failures.map((kind) => [kind.id, kind]));
}
