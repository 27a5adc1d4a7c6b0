import { ofFailureNote, type AuditRecord } from "../../job/contracts/audit.ts";
import { ofDrain, recordIntent, type DrainRuntime, type Letter } from "../../job/door.ts";
import { hostOf } from "../../job/message/destination-url.ts";

/** Writes orders into the audit before the act: each once, and again if it is decided for another reason. */
export function createOrderRecorder(
  drain: DrainRuntime,
  order: { readonly why?: string; readonly orderedAt?: number },
): (letters: readonly Letter[]) => Promise<void> {
  const recorded = new Map<string, string>();
  return async (letters) => {
    const news = letters.map(toOrder).filter((one) => recorded.get(one.dlqId) !== toDecided(one));
    if (news.length === 0) return;
    await recordIntent(drain.source, "apply", news, { ...order, ...ofDrain(drain) });
    for (const one of news) recorded.set(one.dlqId, toDecided(one));
  };
}

function toDecided({ rule, reason, attempt }: AuditRecord): string {
  return JSON.stringify([rule, reason, attempt]);
}

function toOrder(letter: Letter): AuditRecord {
  const host = hostOf(letter.item?.target.destination ?? letter.content.url);
  const { dlqId, decision, attempt, failure } = letter;
  // Of a discard the act itself names it.
  const notes = decision.reason === "discarded" ? {} : { notes: [`${ofFailureNote}${failure.id}`] };
  return { dlqId, rule: decision.rule, reason: decision.reason, attempt, host, ...notes };
}
