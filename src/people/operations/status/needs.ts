/** What needs a person, the first thing first. Pure: of the same facts as the verdict of `redriver status`. */
import { formatDuration } from "../../../job/rules/durations.ts";
import { hostOf } from "../../../job/message/destination-url.ts";
import { cutMiddle, toDestinationText } from "../destination-text.ts";
import {
  capitalised,
  counted,
  ifAny,
  number,
  present,
  toCertain,
  toClock,
  toExpiringCount,
  toIn,
  toLeft,
  toOwnersText,
  toTime,
} from "../phrases.ts";
import { probeFailedAgain } from "../failures/time-line.ts";
import { rankInEvidence, toAnswerText } from "../../read/answer-text.ts";
import { isHeldByRules, maySend } from "../../read/held-by-rules.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import { toUnselected } from "../../read/of-no-drain.ts";
import { sumOf, toCount, toExpired, toOnce, toTotals, type Certain } from "../../read/totals.ts";
import type { Save } from "./expiring.ts";
import type { Status } from "./read.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { toPausedBy, toRestTexts, toUnsentText } from "./verdict.ts";
import { appliesByProbe, toProber, type Prober } from "../lane-words.ts";

/** `bad`: a person is needed. `warn`: it waits. `good`: it drains. `calm`: there is nothing. */
export type Mood = "bad" | "warn" | "good" | "calm";

export type FirstAct =
  | {
      readonly kind: "probe";
      readonly drain: string;
      readonly origin: string;
      readonly lane: LaneStanding;
      readonly prober: Prober;
      /** Its page is about what fails there. */
      readonly isHere?: boolean;
    }
  | {
      readonly kind: "plan";
      readonly drain: string | undefined;
      readonly failure?: string;
      /** Of a receiver: what goes there. */
      readonly host?: string;
      /** Its page is about the kind: five of it are tried there. */
      readonly isHere?: boolean;
    }
  | {
      readonly kind: "parked";
      /** Fields of the page that lists them; absent: all. */
      readonly of?: Readonly<Record<string, string | undefined>>;
    }
  | { readonly kind: "runbook"; readonly alert: string }
  | {
      readonly kind: "expiring";
      /** The kind that expires first; null: it is of none. */
      readonly failure: string | null;
      /** `119`, `at most 119`. */
      readonly count: string;
    }
  /** `apply`: its page has the form. */
  | { readonly kind: "rules" | "of no drain" | "paused" | "apply" };

export interface Need {
  /** In a line, such as `Receiver pay.example.com answers 503 no route`. Strangers wrote parts of it. */
  readonly what: string;
  /** The same as the sentence over the page, such as `halted: pay.example.com fails, 600 wait`. */
  readonly headline: string;
  /** What is known about it beside; empty: nothing. Strangers wrote parts of it. */
  readonly detail: string;
  readonly mood: "bad" | "warn" | "good";
  readonly first: FirstAct;
  /** Somebody works on it, so it comes after what nobody works on. */
  readonly isTaken: boolean;
}

type Drain = Status["drains"][number];

const maxHalted = 3;

export function toNeeds(status: Status): readonly Need[] {
  const { drains, sources, replicas, expiring } = status;
  const rejected = present(replicas.map((one) => one.rejected));
  const unwritable = present(replicas.map(({ archive }) => archive));
  /** Some of it is kept by a copy alone. */
  const isUncopied = expiring.groups.some(({ count, copied }) => (copied ?? 0) < count);
  const gates = sources.filter(({ settleGate }) => settleGate === "closed");
  const unselected = toUnselected(sources, status.at);
  const { parked, expired } = toTotals(status);
  const isExact = !drains.some(({ stillCounting }) => stillCounting);
  const parkedText = capitalised(toCertain({ count: parked, isExact, ...expired.parked }));
  const needs = [
    ...toRestTexts(status).map(({ source, isHalted, text }) => {
      const { isSoon, words } = toExpiryWhileAway(status, source);
      const next = isHalted
        ? "It is tried again by itself, rarely."
        : "What waits goes on with the first answer.";
      return need(isHalted || isSoon ? "bad" : "warn", capitalised(text), {
        headline: text,
        detail: `${next} ${words}`.trim(),
        first: { kind: "runbook", alert: isHalted ? "RedriverSourceHalted" : "RedriverServiceErrors" },
      });
    }),
    toUnsent(status),
    ...toHalted(status),
    gates.length > 0 &&
      need("bad", "Publishing waits for deletes", {
        detail: "What waits is sent once these have been deleted.",
        first: { kind: "runbook", alert: "RedriverPendingDeletes" },
      }),
    unwritable.length > 0 &&
      need(
        isUncopied ? "bad" : "warn",
        `${counted(unwritable.length, "replica")} cannot write to the archive`,
        {
          detail: unwritable[0] ?? "",
          first: { kind: "runbook", alert: "RedriverArchiveFailing" },
        },
      ),
    rejected.length > 0 &&
      need("warn", `${counted(rejected.length, "replica")} cannot load the drains document`, {
        detail: `The document from before stays in force, but a replica that restarts does not start: ${rejected[0]}`,
        first: { kind: "rules" },
      }),
    parked > 0 &&
      need("warn", `${parkedText} are parked: they wait for a person`, {
        detail: toParkedDetail(status, parked),
        first: { kind: "parked" },
        owners: toParkedOwners(drains, status.at),
      }),
    ...drains.map((one) => {
      const toGo = toPlannable(one, drains);
      if (one.mode !== "plan" || one.paused !== null || toGo.count === 0) return false;
      return need(
        "warn",
        `${capitalised(toCertain(toGo))} could go in drain ${one.drain}, which only plans`,
        {
          detail: "Nothing of it is sent until somebody applies a plan, or its mode is live.",
          first: { kind: "plan", drain: one.drain },
        },
      );
    }),
    unselected.count > 0 &&
      need("warn", `${capitalised(toCertain(unselected))} are selected by no drain`, {
        detail: "They stay in the queue until they expire.",
        first: { kind: "of no drain" },
      }),
  ].filter((one) => one !== false);
  const rankOf = ({ isTaken, mood }: Need): number => (isTaken ? 2 : mood === "bad" ? 0 : 1);
  return needs.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** What waits for a plan alone: not what rules hold, or a live drain counts and sends. Of both, some may be the same. */
function toPlannable(
  { source, outlook, stillCounting, expiredSince, failures = [] }: Drain,
  drains: readonly Drain[],
): Certain {
  const others = drains.filter((one) => one.source === source && one.mode === "live");
  const isSent = (id: string): boolean =>
    others.some((other) => other.failures?.some((one) => one.id === id && maySend(one)) === true);
  const free = failures.filter((one) => one.waiting > 0 && !isHeldByRules(one));
  const ofOthers = sumOf(free, ({ id, again }) => (isSent(id) ? (again?.waiting ?? 0) : 0));
  const held = outlook.heldByRules + outlook.waitingForPerson;
  const ofHeldKinds = outlook.waiting - sumOf(free, ({ waiting }) => waiting);
  return {
    count: Math.max(0, outlook.waiting - Math.max(held, ofHeldKinds) - ofOthers),
    isExact: !stillCounting && (held <= ofHeldKinds || ofOthers === 0),
    expiredSince,
  };
}

const soonMs = 3_600_000;

/** Of a source that is not called now: what expires meanwhile. */
function toExpiryWhileAway({ expiring, at }: Status, source: string) {
  const first = expiring.groups.find((group) => group.source === source);
  if (first === undefined) return { isSoon: false, words: "" };
  const { earliestAt, count } = first;
  const words =
    earliestAt > at
      ? `The first expires ${toIn(earliestAt - at)}.`
      : `Up to ${number(count)} have expired since ${toClock(earliestAt, at)}.`;
  return { isSoon: earliestAt < at + soonMs, words };
}

/** What expires within a day, and nothing sends by itself. A halt is told apart. */
function toUnsent(status: Status): Need | false {
  const { groups } = status.expiring;
  const unsent = groups.filter((group) => group.unsent > 0);
  const [first] = unsent;
  if (first === undefined) return false;
  const [drain, ...others] = first.drains;
  const { failure } = first;
  const isPlanned = unsent.length === 1 && first.saves[0]?.act === "plan" && others.length === 0;
  return need("bad", toUnsentText(status), {
    detail: toWhyUnsent(unsent, status.at),
    first:
      isPlanned && failure !== null
        ? { kind: "plan", drain, failure }
        : { kind: "expiring", failure, count: toExpiringCount(first.unsent, first.earliestAt, status.at) },
  });
}

const toWhy: Readonly<Record<Save["act"] | "several" | "none", (count: string) => string>> = {
  release: (count) => `${count} are parked`,
  resume: (count) => `a pause holds ${count}`,
  plan: (count) => `${count} are in drains that only plan`,
  probe: (count) => `a halt holds ${count}`,
  rule: (count) => `${count} are sent by no rule`,
  drain: (count) => `${count} are selected by no drain`,
  several: (count) => `${count} need more than one act`,
  none: (count) => `nobody can read ${count}`,
};

/** What holds how many of them: `48 are sent by no rule; a pause holds at least 3.` */
function toWhyUnsent(groups: Status["expiring"]["groups"], at: number): string {
  const whyOf = ({ saves }: (typeof groups)[number]): keyof typeof toWhy => {
    const [act = "none", ...others] = new Set(saves.map((save) => save.act).filter((one) => one !== "probe"));
    return others.length > 0 ? "several" : act;
  };
  const texts = [...new Set(groups.map(whyOf))].map((why) => {
    const of = groups.filter((group) => whyOf(group) === why);
    const count = sumOf(of, ({ unsent }) => unsent);
    const isExact = of.every(({ isUnsentExact }) => isUnsentExact);
    const expiredSince = of.find(({ earliestAt }) => earliestAt <= at)?.earliestAt;
    return toWhy[why](toCertain({ count, isExact, expiredSince }));
  });
  return `Of them ${texts.join("; ")}.`;
}

export function need(
  mood: Need["mood"],
  what: string,
  {
    owners = "",
    detail,
    ...rest
  }: Pick<Need, "detail" | "first"> & Partial<Pick<Need, "headline">> & { readonly owners?: string },
): Need {
  const isTaken = owners !== "";
  const told = present([owners, detail]).join("; ");
  return { mood: isTaken ? "warn" : mood, what, headline: what, ...rest, detail: told, isTaken };
}

/** What most of them were answered, how many the rest are, and what a person may do. */
function toParkedDetail({ drains, sources }: Status, total: number): string {
  const [most, ...others] = drains
    .flatMap(({ source, failures = [] }) => {
      const kinds = kindsOf(sources, source);
      return failures.map(({ id, parked }) => ({ parked, kind: kinds.get(id) }));
    })
    .filter(({ parked, kind }) => parked > 0 && kind !== undefined)
    .toSorted((one, other) => other.parked - one.parked);
  const answer = most?.kind !== undefined && `${number(most.parked)} got ${toAnswerText(most.kind)}`;
  const more = most === undefined ? 0 : total - most.parked;
  const kinds = others.some(({ kind }) => kind?.id === most?.kind?.id) ? "" : " of other kinds";
  const rest = more > 0 ? `, ${number(more)} more${kinds}` : "";
  return present([
    answer && `${answer}${rest}`,
    "each reason says what helps: a release, a rule or a discard",
  ]).join("; ");
}

function kindsOf(sources: Status["sources"], source: string) {
  return new Map(sources.find((one) => one.source === source)?.failures.map((kind) => [kind.id, kind]));
}

function toParkedOwners(drains: readonly Drain[], now: number): string {
  const all = drains.flatMap(({ destinations }) => destinations.filter((one) => one.parked > 0));
  if (all.some(({ owners }) => owners.length === 0)) return "";
  const byName = new Map(all.flatMap(({ owners }) => owners).map((owner) => [owner.name, owner]));
  return toOwnersText([...byName.values()], now);
}

function toHalted({ drains, sources, at }: Status): readonly Need[] {
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

type Row = Drain["destinations"][number] & { readonly source: string };

/** What waits in these rows, each record once: drains that list the same have a row each for its destination. */
export function toOnceByOrigin(
  rows: readonly Row[],
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
