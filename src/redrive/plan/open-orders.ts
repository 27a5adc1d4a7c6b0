import type { DlqId } from "../../message/dead-letter.ts";
import type { AuditRecord } from "../../ports/audit.ts";
import { ofDrain, recordIntent } from "../record-act.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { compareWithPlan, isDone } from "./compare-with-plan.ts";
import type { Planned } from "./plan-record.ts";
import { createSkips } from "./skips.ts";
import type { SurveyedRecord } from "./survey.ts";

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
        case "otherwise":
          skips.listed(found, planned, record);
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
          else skips.gone(dlqId, planned);
          open.delete(dlqId);
        }
      }
    },
    done: () => done,
    skips: skips.report,
  };
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
