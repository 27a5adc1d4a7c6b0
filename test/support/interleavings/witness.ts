import { agingStepMs } from "../ledger-stands.ts";
import type { DlqId } from "../../../src/job/message/dead-letter.ts";
import type { NewAuditEntry } from "../../../src/job/contracts/audit.ts";
import type { LedgerView } from "../../../src/job/contracts/ledger-entries.ts";
import type { LaneChange, LaneComeBack, LaneWatch, StepRef } from "../../../src/job/contracts/lanes.ts";
import type { BeginAnswer, BeginOptions, Ledger } from "../../../src/job/contracts/ledger.ts";
import { toDeduplicationId } from "../../../src/job/message/message-ids.ts";
import { limits } from "./limits.ts";
import type { ModelLetter, ModelService, SentItem } from "./model-service.ts";
import type { Plan } from "./plan.ts";
import type { Turns } from "./turns.ts";

/** What may be said of a POST beforehand, so that it is no silent double. */
const declarations = ["unknown-outcome-past-window", "released-past-window"] as const;

export type Witness = ReturnType<typeof createWitness>;
export type Seen = ReturnType<Witness["seen"]>;

const newKnown = () => ({
  notes: new Set<string>(),
  intended: new Set<NewAuditEntry["act"]>(),
  attempt: 0,
  /** Series that may have been accepted, the current one included. */
  series: 0,
  posted: 0,
  isFactTold: false,
  isPublished: false,
  isArchived: false,
  isReleased: false,
  pendingSince: null as number | null,
  buriedAt: null as number | null,
});
type Known = ReturnType<typeof newKnown>;

/**
 * Watches every effect of a run and holds it against the promises. Knows the truth, and nothing of the
 * ledger's arithmetic.
 */
export function createWitness(plan: Plan, turns: Turns, service: ModelService, ledger: Ledger) {
  const { clock } = turns;
  const broken = new Set<string>();
  const known = new Map<DlqId, Known>();
  const tokens = new Set<string>();
  const granted = new Map<string, number>();
  const watchedFrom = new Map<string, number>();
  /** Deletions that a begin passed which had to wait for them, as far as the last look knew. */
  const overdue = new Set<string>();
  let takenOver = 0;
  let survived = 0;
  let halts = 0;
  const of = (dlqId: DlqId): Known => {
    const found = known.get(dlqId) ?? newKnown();
    known.set(dlqId, found);
    return found;
  };
  const must = (holds: boolean, what: string): void => {
    if (!holds) broken.add(what);
  };
  const letterOf = (dlqId: DlqId): ModelLetter | undefined => service.letters.get(dlqId);

  const watchView = (dlqId: DlqId, view: LedgerView, wasPublished: boolean): void => {
    const one = of(dlqId);
    if ("attempt" in view) {
      // A release counts one less, in place of the lineage's.
      must(one.isReleased || view.attempt >= one.attempt, `attempts went down: ${dlqId}`);
      one.attempt = view.attempt;
    }
    if (view.state === "open") one.series = Math.max(one.series, view.series.doubts + 1);
    if (view.state === "gone" && one.buriedAt === null) {
      // As it was written: it may be seen later.
      one.buriedAt = view.at;
      must(letterOf(dlqId)?.deletedAt !== null, `buried and still listed: ${dlqId}`);
    }
    // The stand ages what a stalled call has just written by the time of the stall, which the delete came before.
    const goneAt = letterOf(dlqId)?.deletedAt ?? one.buriedAt ?? Infinity;
    const isForgotten = clock.now() >= goneAt + limits.tombstoneMs - agingStepMs;
    const isKnown = view.state === "published" || view.state === "gone" || isForgotten;
    must(!wasPublished || isKnown, `a published fact was lost to ${view.state}: ${dlqId}`);
  };

  return {
    audited(entries: readonly NewAuditEntry[]): void {
      for (const { act, records } of entries) {
        for (const { dlqId, notes = [] } of records) {
          const one = of(dlqId as DlqId);
          one.intended.add(act);
          if (act === "republish") for (const note of notes) one.notes.add(note);
        }
      }
    },

    begun({ token, previous }: BeginOptions, answer: BeginAnswer): void {
      const isFirst = !tokens.has(token);
      tokens.add(token);
      if (answer.kind !== "answered" || previous !== undefined || !isFirst) return;
      const begun = answer.verdicts.flatMap((verdict) => (verdict.kind === "begun" ? [verdict] : []));
      if (begun.length === 0) return;
      takenOver += begun.filter(({ series }) => series.posts - series.refusals > 1).length;
      // The gate lets through what asks again.
      if (!begun.some(({ series }) => series.posts - series.refusals === 1)) return;
      for (const [dlqId, { pendingSince }] of known) {
        if (clock.now() - (pendingSince ?? clock.now()) > limits.settleGateAgeMs) overdue.add(dlqId);
      }
    },

    /** The ledger has a fact about these, or a try to write it has failed. */
    factTold(dlqIds: readonly DlqId[]): void {
      for (const dlqId of dlqIds) of(dlqId).isFactTold = true;
    },
    published(dlqIds: readonly DlqId[]): void {
      for (const dlqId of dlqIds) of(dlqId).isPublished = true;
    },
    released(dlqIds: readonly DlqId[]): void {
      for (const dlqId of dlqIds) of(dlqId).isReleased = true;
    },
    archived(dlqIds: readonly DlqId[]): void {
      for (const dlqId of dlqIds) {
        must(of(dlqId).intended.has("drop"), `dropped before it was in the audit: ${dlqId}`);
        of(dlqId).isArchived = true;
      }
    },

    /** After each effect on the ledger. */
    async look(): Promise<void> {
      const ids = [...service.letters.keys()];
      // Another effect may follow before these views are here.
      const wasPublished = ids.map((dlqId) => of(dlqId).isPublished);
      const [{ views }, { entries }] = await Promise.all([ledger.peek(ids), ledger.pendingDeletes(1_000, 0)]);
      const pending = new Set(entries.map(({ dlqId }) => dlqId));
      // Another effect may have settled them before the begin, and its own look is still under way.
      for (const dlqId of overdue) {
        must(!pending.has(dlqId as DlqId), "begun while deletions wait for too long");
        overdue.delete(dlqId);
      }
      for (const [index, dlqId] of ids.entries()) {
        watchView(dlqId, views[index] ?? { state: "absent" }, wasPublished[index] === true);
        const one = of(dlqId);
        one.pendingSince = pending.has(dlqId) ? (one.pendingSince ?? clock.now()) : null;
      }
    },

    /** The last byte of a POST leaves. */
    async sent(items: readonly SentItem[]): Promise<void> {
      const { views } = await ledger.peek(items.map(({ dlqId }) => dlqId));
      for (const [index, { dlqId, attempt }] of items.entries()) {
        const state = views[index]?.state;
        const one = of(dlqId);
        must(state !== "absent" && state !== "cool", `sent without an intent in the ledger: ${dlqId}`);
        must(one.intended.has("republish"), `sent before it was in the audit: ${dlqId}`);
        must(attempt > (letterOf(dlqId)?.attempt ?? 0), `the attempt of its lineage went down: ${dlqId}`);
        must(attempt >= one.posted, `the attempt of a later POST is lower: ${dlqId}`);
        must(letterOf(dlqId)?.planned.kind !== "dropped", `dropped by rule and published: ${dlqId}`);
        one.posted = attempt;
      }
    },

    deleteAsked(dlqIds: readonly DlqId[]): void {
      for (const dlqId of dlqIds) {
        const isAccepted = (letterOf(dlqId)?.accepted.length ?? 0) > 0;
        must(isAccepted || of(dlqId).isArchived, `deleted without proof: ${dlqId}`);
        must(of(dlqId).isFactTold, `deleted before a try to record why: ${dlqId}`);
      }
    },

    /** So many canaries of a step may be published. */
    granted({ lane, step }: StepRef, canaries: number): void {
      const key = `${lane}.${step}`;
      granted.set(key, (granted.get(key) ?? 0) + canaries);
    },
    /** Looks at these were asked for. */
    watched(watches: readonly LaneWatch[]): void {
      for (const { lane, step, firstSentAt } of watches) watchedFrom.set(`${lane}.${step}`, firstSentAt);
    },
    /** A look found these of a step, and this became of the lane by it. */
    checked(of: StepRef, checkedAt: number, comeBacks: readonly LaneComeBack[], change: LaneChange): void {
      const key = `${of.lane}.${of.step}`;
      const from = watchedFrom.get(key);
      must(from !== undefined, `a look at ${key} that nobody asked for`);
      const found = new Set(comeBacks.map(({ parentDlqId }) => parentDlqId));
      const dead = service
        .listed()
        .filter(({ canaryOf, enteredAt }) => canaryOf === key && enteredAt < checkedAt);
      for (const { parentDlqId, enteredAt } of dead) {
        // What was in doubt as the step began anew is not looked for.
        if (enteredAt < (from ?? 0)) continue;
        must(found.has(parentDlqId ?? ""), `a look at ${key} overlooked ${parentDlqId}, which is dead again`);
      }
      if (change.kind === "none") return;
      if (change.to === "halted") {
        halts += 1;
        return;
      }
      survived += 1;
      must(
        (service.canaries.get(key)?.size ?? 0) > dead.length,
        `${key} survived, and nothing of it is alive`,
      );
    },
    /** And by come-backs that were noted without one. */
    noted(changes: readonly LaneChange[]): void {
      for (const change of changes) {
        if (change.kind === "none") continue;
        halts += 1;
        must(change.to === "halted", `a lane moved to ${change.to} without a look`);
      }
    },

    /** When everything has come to rest: all that was broken. */
    async verdict(): Promise<readonly string[]> {
      for (const [step, { size }] of service.canaries) {
        must(size <= (granted.get(step) ?? 0), `more canaries of ${step} than were granted`);
      }
      const { open, pendingDelete } = await ledger.summary();
      must(open === 0, `${open} stay open`);
      must(pendingDelete === 0, `${pendingDelete} stay pending`);
      const ids = [...service.letters.keys()];
      const { views } = await ledger.peek(ids);
      for (const [index, dlqId] of ids.entries()) {
        const letter = letterOf(dlqId);
        if (letter === undefined) continue;
        const { accepted, deletedAt, deletedByHand } = letter;
        const { isArchived } = of(dlqId);
        must(deletedAt === null || deletedByHand || accepted.length > 0 || isArchived, `lost: ${dlqId}`);
        const view = views[index] ?? { state: "absent" };
        if (deletedAt === null) {
          must(waitsForAReason(letter, view, of(dlqId), plan), `still listed and ${stateOf(view)}: ${dlqId}`);
        }
        for (const what of undeclaredDoubles(letter, of(dlqId), plan)) must(false, `${what}: ${dlqId}`);
      }
      return [...broken];
    },

    /** Counts of the run, to show that it was no idle one. */
    seen() {
      const letters = [...service.letters.values()];
      const all = [...known.values()];
      return {
        mishaps: turns.struck(),
        accepted: letters.reduce((sum, { accepted }) => sum + accepted.length, 0),
        hits: service.hits(),
        /** Begun by one worker and then by another, or again by the first after its lease. */
        takenOver,
        declaredDoubles: letters.filter(({ accepted }) => accepted.length > 1).length,
        archived: all.filter(({ isArchived }) => isArchived).length,
        comeBacks: letters.filter(({ parentDlqId }) => parentDlqId !== null).length,
        /** Steps of lanes that a look judged as survived, and lanes that were halted. */
        survived,
        halts,
      };
    },
  };
}

/** All but one acceptance must have been declared before, under an id of their own. */
function undeclaredDoubles({ dlqId, accepted }: ModelLetter, known: Known, plan: Plan): readonly string[] {
  const ids = accepted.map(({ deduplicationId }) => deduplicationId);
  if (new Set(ids).size < ids.length) return ["accepted twice under one id"];
  const plain = String(toDeduplicationId(dlqId, 1));
  if (ids.length < 2) return [];
  const declared = declarations.filter((note) => known.notes.has(note));
  if (ids.filter((id) => id !== plain).length > 0 && declared.length === 0) return ["doubled undeclared"];
  if (known.notes.has("unknown-outcome-past-window") && plan.unknownOutcome === "park") {
    return ["doubled past the window, where that is parked"];
  }
  if (known.notes.has("released-past-window") && !known.isReleased) return ["doubled as released by nobody"];
  return [];
}

/**
 * Parked for something that has happened, or held because the service refuses it and nothing else is
 * accepted.
 */
function waitsForAReason(
  { planned, refused, attempt }: ModelLetter,
  view: LedgerView,
  { series }: Known,
  plan: Plan,
): boolean {
  if (view.state === "cool") return planned.kind === "poison";
  if (view.state !== "parked") return false;
  const { reason } = view;
  if (reason === "refused") return refused;
  // Its window was taken over from five workers in a row.
  if (reason === "unworkable") return true;
  if (reason === "attempts-exhausted") return attempt >= mostAttempts;
  // Where it is published again, only when as many series as attempts are allowed have stayed unanswered.
  return reason === "outcome-unknown" && (plan.unknownOutcome === "park" || series > 1);
}

export const mostAttempts = 3;

function stateOf(view: LedgerView): string {
  return view.state === "parked" ? `parked as ${view.reason}` : view.state;
}
