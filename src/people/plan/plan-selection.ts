import type { DlqId } from "../../job/message/dead-letter.ts";
import { hostOf } from "../../job/message/destination-url.ts";
import { defined } from "../../job/message/defined.ts";
import type { DrainName } from "../../job/contracts/ids.ts";
import { isAct, type Planned, type PlanRecord } from "./plan-file-record.ts";

export type PlanSelection = ReturnType<typeof createSelection>;

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
      const { hash, then, reason, rule, item, url } = record;
      acts.set(record.dlqId, {
        hash,
        then: shared(then),
        reason: shared(reason),
        rule: rule === null ? null : shared(rule),
        host: shared(hostOf(url)),
        ...defined({ item }),
      });
    },
    of: (drain: DrainName): ReadonlyMap<DlqId, Planned> => byDrain.get(drain) ?? new Map<DlqId, Planned>(),
  };
}
