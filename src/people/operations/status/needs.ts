/** What needs a person, the first thing first. Pure: of the same facts as the verdict of `redriver status`. */
import {
  capitalised,
  counted,
  number,
  present,
  toCertain,
  toClock,
  toExpiringCount,
  toIn,
  toOwnersText,
} from "../phrases.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { isHeldByRules, maySend } from "../../read/held-by-rules.ts";
import { toUnselected } from "../../read/of-no-drain.ts";
import { sumOf, toTotals, type Certain } from "../../read/totals.ts";
import type { Save } from "./expiring.ts";
import { kindsOf, toHalted } from "./halted-needs.ts";
import { need, type Need } from "./need.ts";
import type { Status } from "./read.ts";
import { toRestTexts, toUnsentText } from "./verdict.ts";

type Drain = Status["drains"][number];

/** What somebody works on comes last. */
const rankOf = ({ isTaken, mood }: Need): number => (isTaken ? 2 : mood === "bad" ? 0 : 1);

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
    ...toRestTexts(status).map(({ source, isHalted, isAsked, text }) => {
      const { isSoon, words } = toExpiryWhileAway(status, source);
      const next = isHalted
        ? "It is tried again by itself, rarely."
        : isAsked
          ? "One call is tried every five minutes. What waits goes on once the service takes it."
          : "What waits goes on with the first answer.";
      const alert = isAsked ? "RedriverNothingSettled" : "RedriverServiceErrors";
      return need(isHalted || isSoon ? "bad" : "warn", capitalised(text), {
        headline: text,
        detail: `${next} ${words}`.trim(),
        first: { kind: "runbook", alert: isHalted ? "RedriverSourceHalted" : alert },
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
    // What is parked for what it is needs a rule that can send it, and has one that wants to.
    const acts = saves.map(({ act, advice }) => (advice === undefined ? act : "release"));
    const [act = "none", ...others] = new Set(acts.filter((one) => one !== "probe"));
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

function toParkedOwners(drains: readonly Drain[], now: number): string {
  const all = drains.flatMap(({ destinations }) => destinations.filter((one) => one.parked > 0));
  if (all.some(({ owners }) => owners.length === 0)) return "";
  const byName = new Map(all.flatMap(({ owners }) => owners).map((owner) => [owner.name, owner]));
  return toOwnersText([...byName.values()], now);
}
