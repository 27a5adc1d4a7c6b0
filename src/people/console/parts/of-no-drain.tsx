import { toExpiredKind, type OfNoDrain } from "../../read/of-no-drain.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { number, toClock, toLeft } from "../../operations/phrases.ts";
import { sumOf, toCount, toExpired } from "../../read/totals.ts";
import type { Html } from "../screen.ts";
import { Table } from "./table.tsx";
import { Foreign } from "./text.tsx";
import { Ago } from "./time.tsx";

export function OfNoDrainList({
  ofNoDrain,
  now,
}: Readonly<{ ofNoDrain: readonly OfNoDrain[]; now: number }>): Html | null {
  if (ofNoDrain.length === 0) return null;
  const others = sumOf(ofNoDrain, (one) => one.others);
  const all = ofNoDrain.flatMap(({ kinds }) => kinds.map((kind) => toExpiredKind(kind, now)));
  const comeBacks = sumOf(ofNoDrain, (one) => one.comeBacks);
  return (
    <>
      <h2 id="of-no-drain">Of no drain: {toLeft(sumOf(all, toCount), toExpired(all, toCount))}</h2>
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
                <a href={`/of-no-drain/${source}/${kind.id}`}>
                  <Foreign text={toAnswerText(kind)} />
                </a>{" "}
                <br />
                <span class="hint">
                  <Foreign text={kind.origin} /> · {kind.id}
                </span>
              </>
            )),
            // What has expired since is taken off by the next census.
            amounts("in the queue", (kind) => toLeft(kind.count, toExpiredKind(kind, now))),
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
