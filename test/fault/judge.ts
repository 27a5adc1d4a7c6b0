/**
 * What the matrix holds a case to besides what the judge of the rig holds every run to: ledger, audit,
 * archive and receiver.
 */
import type { AuditAct } from "../../src/job/contracts/audit.ts";
import type { LedgerView } from "../../src/job/contracts/ledger-entries.ts";
import type { KnownLetter, Observation } from "./observe.ts";
import type { Ending } from "./scenario.ts";

/**
 * What must be true at every moment, also between a death and a restart. Answers what is not, a sentence
 * each.
 */
export function judgeAnyMoment(seen: Observation): readonly string[] {
  return [
    ...seen.letters.flatMap(judgeDoubt),
    ...seen.letters.flatMap((letter) => judgeAudit(letter, seen)),
    ...seen.damage
      .filter(({ kind }) => kind === "broken")
      .map(({ file, why }) => `the archive's ${file} is broken: ${why}`),
  ];
}

/** What must be true besides when the work is done. */
export function judgeEnd({ letters, archived, deliveries }: Observation): readonly string[] {
  const wrong: string[] = [];
  for (const { key, dlqId, ending, acceptances, isListed, state } of letters) {
    const what = `${key} (${dlqId}), to be ${ending},`;
    if (ending === "delivered" && acceptances.length === 0) wrong.push(`${what} was not accepted`);
    if (ending === "delivered" && isListed) wrong.push(`${what} is still listed`);
    if (ending === "dropped" && (isListed || !archived.dropped.has(dlqId))) {
      wrong.push(`${what} was not dropped`);
    }
    if (ending === "copied" && !archived["near-expiry"].has(dlqId)) wrong.push(`${what} has no copy`);
    if (isStaying(ending) && !isListed) wrong.push(`${what} is no longer listed`);
    if (!isSettled(ending, state)) wrong.push(`${what} is ${state} in the ledger`);
  }
  for (const key of new Set(letters.map((letter) => letter.key))) {
    const times = letters
      .filter((letter) => letter.key === key)
      .reduce((sum, { acceptances }) => sum + acceptances.length, 0);
    const came = deliveries.get(key) ?? 0;
    if (came !== times) wrong.push(`${key} was accepted ${times} times and came ${came} times`);
  }
  return wrong;
}

export function isStaying(ending: Ending): boolean {
  return ending === "parked" || ending === "refused" || ending === "copied";
}

/** Whether the ledger has nothing more to do for it. */
export function isSettled(ending: Ending, state: LedgerView["state"]): boolean {
  switch (ending) {
    case "delivered":
    case "dropped":
      return state === "gone";
    case "parked":
      return state === "parked";
    case "refused":
      // Without a control it is asked again after ten minutes; after an answer that was lost, when its window
      // has passed.
      return state === "parked" || state === "cool" || state === "open";
    case "copied":
      return state === "absent";
  }
}

/**
 * What was accepted and is still listed is in doubt or pending in the ledger, whoever has or has not heard of
 * it.
 */
function judgeDoubt({ key, dlqId, acceptances, isListed, state }: KnownLetter): readonly string[] {
  const isKnown = state === "open" || state === "published";
  if (isKnown || acceptances.length === 0 || !isListed) return [];
  return [`${key} (${dlqId}) was accepted, is still listed, and is ${state} in the ledger`];
}

/** What is not in the audit is not done. */
function judgeAudit(letter: KnownLetter, { archived, isAudited }: Observation): readonly string[] {
  const { source, dlqId, acceptances, deleted } = letter;
  const done: readonly (readonly [AuditAct, boolean])[] = [
    ["republish", acceptances.length > 0],
    ["drop", archived.dropped.has(dlqId)],
    ["copy", archived["near-expiry"].has(dlqId)],
    ["delete", deleted !== null],
  ];
  return done.flatMap(([act, isDone]) =>
    !isDone || isAudited(source, act, dlqId) ? [] : [`${dlqId}: ${act} is not in the audit`],
  );
}
