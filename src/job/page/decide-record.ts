/** Decides records without their page: nothing is asked, begun or changed. Pure. */
import type { RawRecord, UnusableRecord } from "../message/dead-letter.ts";
import type { Lineage } from "../message/lineage.ts";
import type { ParkReason } from "../message/park-reasons.ts";
import type { LedgerView } from "../contracts/ledger-entries.ts";
import type { Routing } from "../rules/decision.ts";
import type { RecordFacts } from "../rules/record-facts.ts";
import { decideLetter, preparationOf, type DecidingRuntime } from "./decide-letter.ts";
import type { Letter } from "./letter.ts";
import { parsePage } from "./parse-page.ts";
import { prepare } from "./prepare.ts";

export interface Seen {
  readonly view: LedgerView;
  readonly viewedAt: number;
  /** As `lineagesOf` has it. Absent: its header's. */
  readonly lineage?: Lineage | null | undefined;
}

export function decideRecord(
  runtime: DecidingRuntime,
  raw: RawRecord,
  { view, viewedAt, lineage = null }: Seen,
): { readonly letter: Letter; readonly facts: RecordFacts } | { readonly unusable: UnusableRecord | null } {
  const { letters, unusable } = parsePage([raw], runtime.source.lineageKeys());
  const [letter] = letters;
  if (letter === undefined) return { unusable: unusable[0] ?? null };
  letter.view = view;
  letter.viewedAt = viewedAt;
  letter.readAs(lineage);
  const facts = decideLetter(runtime, letter);
  return { letter, facts };
}

export function decideLater(runtime: DecidingRuntime, letter: Letter, at: number): Letter {
  const later = letter.again();
  later.viewedAt += at - (letter.facts?.now ?? at);
  decideLetter({ ...runtime, source: atTime(runtime.source, at) }, later);
  return later;
}

export function atTime(
  { headerPrefix, lineageKeys, checkItem }: Omit<DecidingRuntime["source"], "clock" | "service">,
  at: number,
): DecidingRuntime["source"] {
  return {
    clock: { now: () => at },
    service: { clockOffsetMs: () => 0 },
    headerPrefix,
    lineageKeys,
    checkItem,
  };
}

/** Gives a held letter the item that it becomes once its rule lets it go. Answers why it is parked instead. */
export function prepareHeld(
  runtime: DecidingRuntime,
  letter: Letter,
  routing: Pick<Routing, "set" | "via">,
): ParkReason | null {
  const prepared = prepare(letter, routing, preparationOf(runtime));
  if (prepared.kind === "item") letter.item = prepared.item;
  return prepared.kind === "park" ? prepared.reason : null;
}
