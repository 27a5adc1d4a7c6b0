import type { AuditAct } from "../../src/ports/audit.ts";
import type { LedgerView } from "../../src/ports/ledger-entries.ts";
import type { KnownLetter, Observation } from "./observe.ts";

export interface Double {
  readonly key: string;
  readonly dlqId: string;
  readonly times: number;
  /** The declared cases that the audit names it as; empty: none, which is a violation. */
  readonly declared: readonly string[];
}

/** What must be true at every moment, also between a death and a restart. Answers what is not, a sentence each. */
export function judgeAnyMoment(seen: Observation): readonly string[] {
  return [
    ...judgeDeletions(seen),
    ...judgeAcceptances(seen),
    ...judgeDoubts(seen),
    ...judgeAudit(seen),
    ...seen.damage
      .filter(({ kind }) => kind === "broken")
      .map(({ file, why }) => `the archive's ${file} is broken: ${why}`),
    ...findDoubles(seen)
      .filter(({ declared }) => declared.length === 0)
      .map(({ key, dlqId, times }) => `${key} (${dlqId}) was accepted ${times} times, undeclared`),
  ];
}

/** What must be true besides when the work is done. */
export function judgeEnd(seen: Observation): readonly string[] {
  const { letters, inQueue, archived, deliveries, ledger } = seen;
  const accepted = new Set(seen.accepted.map(({ dlqId }) => dlqId));
  const wrong: string[] = findLost(seen).map(({ key, dlqId }) => `${key} (${dlqId}) is lost`);
  for (const { key, dlqId, fate } of letters) {
    const what = `${key} (${dlqId}), to be ${fate},`;
    const isLeft = inQueue.has(dlqId);
    if (fate === "delivered" && !accepted.has(dlqId)) wrong.push(`${what} was not accepted`);
    if (fate === "delivered" && isLeft) wrong.push(`${what} is still listed`);
    if (fate === "dropped" && (isLeft || !archived.dropped.has(dlqId))) wrong.push(`${what} was not dropped`);
    if (fate === "copied" && !archived["near-expiry"].has(dlqId)) wrong.push(`${what} has no copy`);
    if (isStaying(fate) && !isLeft) wrong.push(`${what} is no longer listed`);
    const state = ledger.get(dlqId) ?? "absent";
    if (!isAtRest(fate, state)) wrong.push(`${what} is ${state} in the ledger`);
  }
  for (const key of new Set(letters.map((letter) => letter.key))) {
    const ids = new Set(letters.filter((letter) => letter.key === key).map(({ dlqId }) => dlqId));
    const times = seen.accepted.filter(({ dlqId }) => dlqId !== null && ids.has(dlqId)).length;
    const came = deliveries.get(key) ?? 0;
    if (came !== times) wrong.push(`${key} was accepted ${times} times and came ${came} times`);
  }
  return wrong;
}

export function isStaying(fate: KnownLetter["fate"]): boolean {
  return fate === "parked" || fate === "refused" || fate === "copied";
}

/** Whether the ledger has nothing more to do for it. */
export function isAtRest(fate: KnownLetter["fate"], state: LedgerView["state"]): boolean {
  switch (fate) {
    case "delivered":
    case "dropped":
      return state === "gone";
    case "parked":
      return state === "parked";
    case "refused":
      // Without a control it is asked again after ten minutes; after an answer that was lost, when its window has passed.
      return state === "parked" || state === "cool" || state === "open";
    case "copied":
      return state === "absent";
  }
}

/** Not in the DLQ, never accepted, and not kept by the archive for a drop. */
export function findLost({ letters, inQueue, accepted, archived }: Observation): readonly KnownLetter[] {
  const published = new Set(accepted.map(({ dlqId }) => dlqId));
  return letters.filter(
    ({ dlqId }) => !inQueue.has(dlqId) && !published.has(dlqId) && !archived.dropped.has(dlqId),
  );
}

export function findDoubles({ letters, accepted, declared }: Observation): readonly Double[] {
  return letters.flatMap(({ key, dlqId }) => {
    const times = accepted.filter((one) => one.dlqId === dlqId).length;
    return times > 1 ? [{ key, dlqId, times, declared: [...(declared.get(dlqId) ?? [])] }] : [];
  });
}

/** A dead letter is deleted only after its own republication, or after a drop that the archive holds. */
function judgeDeletions({ letters, deleted, accepted, archived }: Observation): readonly string[] {
  return deleted.flatMap(({ dlqId, seq, source }) => {
    const letter = letters.find((one) => one.dlqId === dlqId);
    if (letter === undefined) return [`${dlqId} was deleted, which nobody seeded`];
    const { key, fate } = letter;
    const isProven =
      fate === "dropped"
        ? archived.dropped.has(dlqId)
        : accepted.some((one) => one.dlqId === dlqId && one.source === source && one.seq < seq);
    return isProven ? [] : [`${key} (${dlqId}) was deleted without proof`];
  });
}

function judgeAcceptances({ letters, accepted }: Observation): readonly string[] {
  return accepted.flatMap(({ dlqId, messageId }) => {
    const letter = letters.find((one) => one.dlqId === dlqId);
    if (letter === undefined) return [`${messageId} was accepted and is no dead letter's`];
    return letter.fate === "delivered" ? [] : [`${letter.key}, to be ${letter.fate}, was accepted`];
  });
}

/** What was accepted and is still listed is in doubt or pending in the ledger, whoever has or has not heard of it. */
function judgeDoubts({ letters, accepted, inQueue, ledger }: Observation): readonly string[] {
  const published = new Set(accepted.map(({ dlqId }) => dlqId));
  return letters.flatMap(({ key, dlqId }) => {
    const state = ledger.get(dlqId) ?? "absent";
    const isKnown = state === "open" || state === "published";
    if (isKnown || !published.has(dlqId) || !inQueue.has(dlqId)) return [];
    return [`${key} (${dlqId}) was accepted, is still listed, and is ${state} in the ledger`];
  });
}

/** What is not in the audit is not done. */
function judgeAudit({ accepted, archived, deleted, audited }: Observation): readonly string[] {
  const missing = (act: AuditAct, done: Iterable<string | null>): readonly string[] =>
    [...new Set(done)].flatMap((dlqId) =>
      dlqId === null || audited.get(act)?.has(dlqId) ? [] : [`${dlqId}: ${act} is not in the audit`],
    );
  return [
    ...missing(
      "republish",
      accepted.map(({ dlqId }) => dlqId),
    ),
    ...missing("drop", archived.dropped),
    ...missing("copy", archived["near-expiry"]),
    ...missing(
      "delete",
      deleted.map(({ dlqId }) => dlqId),
    ),
  ];
}
