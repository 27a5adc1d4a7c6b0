/** The orders of a plan: those to act on, their check against the queue, and which are not done yet. */
import type { DlqId } from "../../message/dead-letter.ts";
import { defined } from "../../message/defined.ts";
import type { AuditRecord } from "../../ports/audit.ts";
import type { DrainName } from "../../ports/ids.ts";
import type { LedgerView } from "../../ports/ledger-entries.ts";
import { holds } from "../../rules/decision.ts";
import type { ListingSignals } from "../listing/list-page.ts";
import { ofDrain, recordIntent } from "../write-audit.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { isAct, toPlanned, type Planned, type PlanRecord } from "./plan-file-record.ts";
import { createSkips } from "./skipped-by-apply.ts";
import { survey, type SurveyedRecord, type SurveyRange } from "./list-and-decide.ts";

export type PlanSelection = ReturnType<typeof createSelection>;

/** A plan's orders for each drain: only records to act on. */
export function createSelection() {
  const byDrain = new Map<DrainName, Map<DlqId, Planned>>();
  // Very many lines share few rules and reasons.
  const texts = new Map<string, string>();
  const shared = <Text extends string>(text: Text): Text => {
    const known = texts.get(text) ?? text;
    texts.set(known, known);
    return known as Text;
  };
  return {
    add(record: PlanRecord): void {
      if (!isAct(record)) return;
      const drain = shared(record.drain);
      const acts = byDrain.get(drain) ?? new Map<DlqId, Planned>();
      byDrain.set(drain, acts);
      const { hash, then, reason, rule, item } = record;
      acts.set(record.dlqId, {
        hash,
        then: shared(then),
        reason: shared(reason),
        rule: rule === null ? null : shared(rule),
        ...defined({ item }),
      });
    },
    of: (drain: DrainName): ReadonlyMap<DlqId, Planned> => byDrain.get(drain) ?? new Map<DlqId, Planned>(),
  };
}

/** The present state of a planned record that is still listed. */
export type PlanComparison =
  | "as-planned"
  /** Done, by an earlier apply of this plan or by anybody; nothing is left to do. */
  | "done"
  /** Not just now: in another worker's hands, cooling after a refusal, or without capacity. */
  | "not-now"
  /** Its content differs from the listed one. */
  | "changed"
  /** Today's rules, the ledger or time decide otherwise, or the message to publish would differ. */
  | "otherwise";

export function compareWithPlan(
  planned: Planned,
  record: SurveyedRecord,
  headerPrefix: string,
): PlanComparison {
  const now = toPlanned(record, headerPrefix);
  if (now.hash !== planned.hash) return "changed";
  const { decision, view } = record.decided;
  switch (decision.then) {
    // Published before and still listed: it is only deleted again.
    case "settle":
      return "as-planned";
    case "hold":
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

/** True if the ledger shows that a record needs no further act. */
export function isDone({ state }: LedgerView): boolean {
  return state === "published" || state === "archived" || state === "gone";
}

const idsPerPeek = 100;

/** A plan's orders that are not done yet, in `open`. Those done, or not as planned, are removed from it. */
export function createOpenOrders(
  { ledger, headerPrefix }: Pick<SourceRuntime, "ledger" | "headerPrefix">,
  open: Map<DlqId, Planned>,
) {
  const skips = createSkips();
  let done = 0;
  return {
    /** Compares a listed record with its order: act now, or not yet; null if there is no such order. */
    compare(record: SurveyedRecord): "act" | "not-now" | null {
      const { dlqId } = record.decided.letter;
      const planned = open.get(dlqId);
      if (planned === undefined) return null;
      const found = compareWithPlan(planned, record, headerPrefix);
      switch (found) {
        case "as-planned":
          return "act";
        case "not-now":
          return "not-now";
        case "done":
          done += 1;
          break;
        case "changed":
          skips.add(dlqId, found, planned);
          break;
        case "otherwise":
          skips.add(dlqId, found, planned, record.decided.decision);
          break;
      }
      open.delete(dlqId);
      return null;
    },
    /** Takes out one that is done. True if it was there. */
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
          if (view !== undefined && isDone(view)) done += 1;
          else skips.add(dlqId, "gone", planned);
          open.delete(dlqId);
        }
      }
    },
    done: () => done,
    skips: skips.report,
  };
}

export type PlanCheck = Awaited<ReturnType<typeof checkPlan>>;

/** Lists a range again and compares each record with its plan. Changes nothing. Throws as `survey` does. */
export async function checkPlan(
  drain: DrainRuntime,
  range: SurveyRange,
  planned: ReadonlyMap<DlqId, Planned>,
  signals: ListingSignals,
  onPage: (checked: number) => void,
) {
  const open = new Map(planned);
  const orders = createOpenOrders(drain.source, open);
  const unseen = new Set(planned.keys());
  let notNow = 0;
  for await (const page of survey(drain, range, signals)) {
    for (const record of page.records) {
      if (unseen.delete(record.decided.letter.dlqId) && orders.compare(record) === "not-now") notNow += 1;
    }
    onPage(planned.size - unseen.size);
    // The records behind the last planned one need not be listed.
    if (unseen.size === 0) break;
  }
  await orders.takeOutUnlisted(unseen);
  // `open`: what is to be acted on, as planned or not just now.
  return { planned: planned.size, open, notNow, done: orders.done(), skips: orders.skips() };
}

/**
 * Writes an apply's orders into the audit before they are acted on: each record once, and again if it is
 * decided for another reason. Throws `redis-unavailable`.
 */
export function createOrderRecorder(
  drain: DrainRuntime,
  order: { readonly why?: string },
): (records: readonly AuditRecord[]) => Promise<void> {
  const recorded = new Map<string, string>();
  return async (records) => {
    const news = records.filter((one) => recorded.get(one.dlqId) !== toDecided(one));
    if (news.length === 0) return;
    await recordIntent(drain.source, "apply", news, { ...ofDrain(drain), ...order });
    for (const one of news) recorded.set(one.dlqId, toDecided(one));
  };
}

function toDecided({ rule, reason, attempt }: AuditRecord): string {
  return JSON.stringify([rule, reason, attempt]);
}
