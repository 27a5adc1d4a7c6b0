/** Dead letters that no drain selects, by kind, as the census of their source counted. */
import type { UnselectedKind } from "../../../job/contracts/source-book.ts";
import type { QueueFacts } from "../../../job/contracts/queue-facts.ts";
import type { Core } from "../../../job/door.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { number, toClock } from "../../operations/phrases.ts";
import { sumOf } from "../../read/totals.ts";
import type { Html } from "../screen.ts";
import { Table } from "./table.tsx";
import { Foreign } from "./text.tsx";
import { Ago } from "./time.tsx";

/** Of one source. */
export interface OfNoDrain {
  readonly source: string;
  readonly at: number;
  /** Of kinds that the census does not name. */
  readonly others: number;
  readonly comeBacks: number;
  readonly kinds: readonly (UnselectedKind & { readonly expiresAt: number | null })[];
}

export function toOfNoDrain(
  { sources }: Core,
  facts: Pick<QueueFacts, "sources">,
  isOrigin: (origin: string) => boolean,
): readonly OfNoDrain[] {
  return facts.sources.flatMap(({ source, census }) => {
    const retentionMs = sources.get(source)?.runtime.config.retentionMs ?? NaN;
    const kinds = (census?.unselectedKinds ?? [])
      .filter(({ origin }) => isOrigin(origin))
      .map((kind) => ({ ...kind, expiresAt: kind.since === null ? null : kind.since + retentionMs }));
    if (census === null || kinds.length === 0) return [];
    const others = census.unselected - sumOf(census.unselectedKinds ?? [], ({ count }) => count);
    return [{ source, at: census.at, others, comeBacks: census.strayComeBacks.count, kinds }];
  });
}

export function OfNoDrainList({
  ofNoDrain,
  now,
}: Readonly<{ ofNoDrain: readonly OfNoDrain[]; now: number }>): Html | null {
  if (ofNoDrain.length === 0) return null;
  const others = sumOf(ofNoDrain, (one) => one.others);
  const comeBacks = sumOf(ofNoDrain, (one) => one.comeBacks);
  return (
    <>
      <h2>Of no drain: {number(sumOf(ofNoDrain, ({ kinds }) => sumOf(kinds, ({ count }) => count)))}</h2>
      <p class="hint">
        Nothing sends them, and they expire. A drain whose <code>select</code> takes them works them
        {others > 0 ? `; ${number(others)} more are of kinds that are not listed` : ""}.
        {comeBacks > 0
          ? ` ${number(comeBacks)} were sent again by a drain and came back: what is sent again has no URL Group to select by.`
          : ""}
      </p>
      {ofNoDrain.map(({ source, at, kinds }) => (
        <Table
          caption={`Of no drain in ${source}, as counted at ${toClock(at, now)}`}
          empty=""
          rows={kinds}
          columns={({ column, amounts }) => [
            column("failure", (kind) => (
              <>
                <Foreign text={toAnswerText(kind)} /> <br />
                <span class="hint">
                  <Foreign text={kind.origin} /> · {kind.id}
                </span>
              </>
            )),
            amounts("in the queue", ({ count }) => count),
            column("since", ({ since }) => (since === null ? "–" : <Ago at={since} now={now} />)),
            column("first expires", ({ expiresAt }) =>
              expiresAt === null ? "–" : <Ago at={expiresAt} now={now} />,
            ),
          ]}
        />
      ))}
    </>
  );
}
