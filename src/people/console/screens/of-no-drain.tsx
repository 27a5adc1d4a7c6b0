/** One kind that no drain selects: how many, a sample, and a drain that would list it. */
import { toAnswerText } from "../../read/answer-text.ts";
import { toExpiredKind, toOfNoDrain, type OfNoDrain } from "../../read/of-no-drain.ts";
import { whyNotPlanned } from "../../operations/failures/choose.ts";
import { cut, toClock, toLeft } from "../../operations/phrases.ts";
import { DeadLetterLink } from "../parts/links.tsx";
import { toWhen } from "../parts/failure-acts.tsx";
import { Fields } from "../parts/fields.tsx";
import { Foreign, Lines } from "../parts/text.tsx";
import { Moment } from "../parts/time.tsx";
import { defineScreen, live } from "../screen.ts";

type Kind = OfNoDrain["kinds"][number];

export const ofNoDrainScreen = defineScreen<{ readonly of: OfNoDrain; readonly kind: Kind }>({
  path: "/of-no-drain/:source/:id",
  area: "failures",
  role: "viewer",
  title: ({ kind }) => `${cut(toAnswerText(kind), 60)} · of no drain`,
  async load({ core, reads, params }) {
    const all = toOfNoDrain(core, await reads.facts(), () => true);
    const of = all.find(({ source }) => source === params["source"]);
    const kind = of?.kinds.find(({ id }) => id === params["id"]);
    return of && kind ? { of, kind } : null;
  },
  sections: [
    live("head", ({ of: { source, at }, kind }, { now }) => (
      <>
        <p class="hint">No drain lists these, so nothing sends them, and they expire.</p>
        <Fields
          of={[
            ["from", <Foreign text={kind.origin} />],
            [
              "in the queue",
              `${toLeft(kind.count, toExpiredKind(kind, now))}, as counted at ${toClock(at, now)}`,
            ],
            ["since", kind.since && <Moment at={kind.since} now={now} />],
            ["first expires", kind.expiresAt && <Moment at={kind.expiresAt} now={now} />],
            ["sample", kind.sample && <DeadLetterLink source={source} dlqId={kind.sample} />],
          ]}
        />
        {whyNotPlanned(kind.id) === null ? (
          <>
            <h2>A drain that would list them</h2>
            <Lines text={toDrain(source, kind)} />
            <p class="hint">
              Add it to the drains of the <a href="/rules">document</a>: the daemons adopt it by themselves.
              It sends nothing until a person applies a plan of it, or its mode is live. What other drains
              list with this status it lists too: whichever acts first has it.
            </p>
          </>
        ) : null}
      </>
    )),
  ],
});

function toDrain(source: string, kind: Kind): string {
  return `  kind-${kind.id}:
    source: ${source}
    mode: plan
    select: { responseStatus: ${kind.status ?? 0} }
    rules:
      - { name: send-again, when: ${toWhen(kind)}, then: republish }`;
}
