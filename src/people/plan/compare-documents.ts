/**
 * What two documents decide differently of what is in a queue, or in the archive, drain by drain. Changes nothing. Both decide a letter
 * at the same moment and by the same ledger, so a difference is one of the documents.
 *
 *   same selection ─► one listing, each letter decided twice
 *   another one    ─► a listing by each; what one alone selects is a difference
 */
import { isDeepStrictEqual } from "node:util";
import { itemOf, decideLater } from "../../job/door-pure.ts";
import {
  type DrainRuntime,
  type FrozenRange,
  type Letter,
  type ListingSignals,
  survey,
  withNewer,
} from "../../job/door.ts";
import type { FailureKind } from "../../job/message/failure-kind.ts";
import type { Decision } from "../../job/rules/decision.ts";
import { hashItem } from "./plan-hashes.ts";
import { createThingCount } from "./top-count.ts";

/** How one document decides a letter; null: no drain of that name selects it there. */
export type Decided = Pick<Decision, "then" | "reason" | "rule"> | null;

interface Sided {
  readonly decided: Decided;
  /** Of its item, or until when it is held: 22 characters at most. Empty: neither. */
  readonly mark: string;
}

const left: Sided = { decided: null, mark: "" };

export interface DocumentsCompared {
  readonly drain: DrainRuntime | null;
  readonly against: DrainRuntime | null;
  readonly range: FrozenRange;
  /** Unix ms by the service's clock: both decide as of it. */
  readonly at: number;
  readonly signals: ListingSignals;
  readonly onPage: (listed: number) => void;
}

const samplesShown = 3;
const kindsShown = 20;
const maxKinds = 1_000;

/** Of one pair of decisions. `isSentOtherwise`: the decision is the same, and the message or its time is not. */
export type DifferenceGroup = ReturnType<ReturnType<typeof createGroup>["report"]>;

function createGroup(before: Decided, after: Decided, isSentOtherwise: boolean) {
  const kinds = createThingCount<FailureKind>(maxKinds);
  const samples: string[] = [];
  let count = 0;
  return {
    add({ dlqId, failure }: Pick<Letter, "dlqId" | "failure">): void {
      count += 1;
      if (samples.length < samplesShown) samples.push(dlqId);
      kinds.add(failure.id, () => failure);
    },
    report() {
      const { top, more } = kinds.top(kindsShown);
      return { before, after, isSentOtherwise, count, failures: top, moreFailures: more, samples };
    },
  };
}

export async function compareDocuments(compared: DocumentsCompared) {
  const knowing = (one: DrainRuntime | null) => one && withNewer(one, compared.range, compared.signals);
  const [drain, against] = [await knowing(compared.drain), await knowing(compared.against)];
  const groups = new Map<string, ReturnType<typeof createGroup>>();
  let listed = 0;
  let different = 0;
  const put = (letter: Pick<Letter, "dlqId" | "failure">, before: Sided, after: Sided): void => {
    listed += 1;
    const isSame = isDeepStrictEqual(before.decided, after.decided);
    if (isSame && before.mark === after.mark) return;
    different += 1;
    const key = JSON.stringify([before.decided, after.decided]);
    const group = groups.get(key) ?? createGroup(before.decided, after.decided, isSame);
    groups.set(key, group);
    group.add(letter);
  };
  if (drain !== null && against !== null && isDeepStrictEqual(selectionOf(drain), selectionOf(against))) {
    for await (const letter of lettersOf(drain, compared)) {
      put(letter, toSided(against, letter, compared.at), toSided(drain, letter, compared.at));
    }
  } else {
    const before = new Map<string, Sided & Pick<Letter, "dlqId" | "failure">>();
    for await (const [{ dlqId, failure }, sided] of decidedBy(against, compared)) {
      before.set(dlqId, { dlqId, failure, ...sided });
    }
    for await (const [letter, sided] of decidedBy(drain, compared)) {
      put(letter, before.get(letter.dlqId) ?? left, sided);
      before.delete(letter.dlqId);
    }
    for (const letter of before.values()) put(letter, letter, left);
  }
  return {
    listed,
    different,
    groups: [...groups.values()]
      .map((group) => group.report())
      .toSorted((one, other) => other.count - one.count),
  };
}

function selectionOf({ config: { select, dates, source } }: DrainRuntime): object {
  return { select, dates, source: source.id, url: source.url };
}

async function* decidedBy(
  drain: DrainRuntime | null,
  compared: DocumentsCompared,
): AsyncGenerator<readonly [Letter, Sided]> {
  if (drain === null) return;
  for await (const letter of lettersOf(drain, compared)) yield [letter, toSided(drain, letter, compared.at)];
}

async function* lettersOf(
  drain: DrainRuntime,
  { range, signals, onPage }: DocumentsCompared,
): AsyncGenerator<Letter> {
  let listed = 0;
  for await (const { letters } of survey(drain, range, signals)) {
    yield* letters;
    listed += letters.length;
    onPage(listed);
  }
}

/** Of the archive: as the rules decide what is new to the ledger, drops too. */
function toSided({ fromArchive, ...drain }: DrainRuntime, letter: Letter, at: number): Sided {
  const own = fromArchive === undefined ? letter : letter.again();
  if (own !== letter) own.view = { state: "absent" };
  const later = decideLater(drain, own, at);
  const { then, reason, rule } = later.decision;
  const until = later.decision.then === "hold" ? (later.decision.until ?? "") : "";
  const mark = later.item === null ? String(until) : hashItem(itemOf(later), drain.source.headerPrefix);
  return { decided: { then, reason, rule }, mark };
}
