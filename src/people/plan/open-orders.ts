import type { DlqId } from "../../job/message/dead-letter.ts";
import type { LedgerView } from "../../job/contracts/ledger-entries.ts";
import type { DrainRuntime, Letter } from "../../job/door.ts";
import { holds } from "../../job/rules/decision.ts";
import { toPlanned, type Planned } from "./plan-file-record.ts";
import { createSkips } from "./skipped-by-apply.ts";

/** The present state of a planned record that is still listed. */
export type PlanComparison =
  | "as-planned"
  /** Done, by an earlier apply of this plan or by anybody; nothing is left to do. */
  | "done"
  /** Not just now: in another worker's hands, cooling after a refusal, or without capacity. */
  | "not-now"
  | "changed"
  /** Today's rules, the ledger or time decide otherwise, or the message to publish would differ. */
  | "otherwise";

export function compareWithPlan(planned: Planned, letter: Letter, headerPrefix: string): PlanComparison {
  const now = toPlanned(letter, headerPrefix);
  if (now.hash !== planned.hash) return "changed";
  const { decision, view } = letter;
  switch (decision.then) {
    // Published before and still listed: it is only deleted again, unless its worker may be about to.
    case "settle":
      return isBeingDeleted(view) ? "not-now" : "as-planned";
    case "hold":
      if (decision.reason === "published-before") return "done";
      return holds[decision.reason] === "passing" ? "not-now" : "otherwise";
    case "park":
      if (planned.then !== "park" || planned.reason !== decision.reason) return "otherwise";
      // A record that the ledger has as parked for that reason is decided without a rule.
      if (view.state === "parked" && decision.rule === null) return "done";
      if (planned.rule !== decision.rule) return "otherwise";
      return view.state === "parked" ? "done" : "as-planned";
    // The reason may differ: a record in doubt is published again under the same id.
    case "republish":
    case "drop":
      return planned.then === now.then && planned.rule === now.rule && planned.item === now.item
        ? "as-planned"
        : "otherwise";
  }
}

/** By whoever published it, unless that worker has died. */
export function isBeingDeleted(view: LedgerView): view is LedgerView & { readonly at: number } {
  return "isBeingDeleted" in view && view.isBeingDeleted;
}

/** Whether what is done was done since then, Unix ms. A tombstone has the time of its delete, seconds after. */
function isSince(view: LedgerView, since: number): boolean {
  return "at" in view && view.at >= since;
}

/** True if the ledger shows that a record needs no further act. What was dropped may be wanted back. */
export function isDone(view: LedgerView, isFromArchive: boolean): boolean {
  if (isFromArchive && (view.state === "archived" || ("wasArchived" in view && view.wasArchived)))
    return false;
  return view.state === "published" || view.state === "archived" || view.state === "gone";
}

function isInDoubt(view: LedgerView): boolean {
  return view.state === "open" || (view.state === "parked" && view.reason === "outcome-unknown");
}

const idsPerPeek = 100;

/** A plan's orders that are not done yet, in `open`. Those done, or not as planned, are removed from it. */
export function createOpenOrders(
  { source: { ledger, headerPrefix }, fromArchive }: Pick<DrainRuntime, "source" | "fromArchive">,
  open: Map<DlqId, Planned>,
  since = Infinity,
) {
  const skips = createSkips();
  const done = { all: 0, since: 0 };
  const addDone = (view: LedgerView): void => {
    done.all += 1;
    if (isSince(view, since)) done.since += 1;
  };
  return {
    /** Compares a listed record with its order: act now, or not yet; null if there is no such order. */
    compare(letter: Letter): "act" | "not-now" | null {
      const { dlqId } = letter;
      const planned = open.get(dlqId);
      if (planned === undefined) return null;
      const found = compareWithPlan(planned, letter, headerPrefix);
      switch (found) {
        case "as-planned":
          return "act";
        case "not-now":
          return "not-now";
        case "done":
          addDone(letter.view);
          break;
        case "changed":
          skips.add(dlqId, found, planned);
          break;
        case "otherwise":
          skips.add(dlqId, found, planned, letter.decision);
          break;
      }
      open.delete(dlqId);
      return null;
    },
    takeOut: (dlqId: DlqId): boolean => open.delete(dlqId),
    /** Takes out unlisted records: done if the ledger shows it, else gone. Throws `redis-unavailable`. */
    async takeOutUnlisted(unlisted: Iterable<DlqId>): Promise<void> {
      const ids = [...unlisted];
      for (let start = 0; start < ids.length; start += idsPerPeek) {
        const page = ids.slice(start, start + idsPerPeek);
        const { views } = await ledger.peek(page);
        for (const [index, dlqId] of page.entries()) {
          const planned = open.get(dlqId);
          const view = views[index];
          if (planned === undefined) continue;
          if (view !== undefined && isDone(view, fromArchive !== undefined)) addDone(view);
          else skips.add(dlqId, "gone", planned);
          if (view !== undefined && isInDoubt(view)) skips.addBegun();
          open.delete(dlqId);
        }
      }
    },
    done: () => done,
    skips: skips.report,
  };
}
