/** Kinds of failure: same destination, same status, same answer but for what varies. */
import type { FailureView } from "../../redrive/failures/failure-views.ts";
import { isCurrent } from "../../redrive/failures/failure-views.ts";
import { toAnswerText } from "../../redrive/failures/answer-text.ts";
import { defineScreen } from "../screen.ts";
import { Foreign, number } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";

interface Model {
  readonly shown: readonly FailureView[];
  readonly hidden: number;
}

export const failuresScreen = defineScreen<Model>({
  path: "/failures",
  area: "failures",
  role: "viewer",
  title: () => "Failures",
  async load({ reads, query, now }) {
    const host = query.get("host");
    const all = (await reads.failures()).filter(({ origin }) => host === null || origin.includes(host));
    const shown = query.has("all") ? all : all.filter((one) => isCurrent(one, now));
    return { shown, hidden: all.length - shown.length };
  },
  sections: [
    {
      id: "failures-list",
      isLive: true,
      render: ({ shown }, { now }) => (
        <Table
          caption="Kinds of failure"
          empty="No kind of failure waits, and none was seen within a day."
          rows={shown}
          columns={[
            {
              title: "failure",
              cell: (one) => (
                <>
                  <a href={`/failures/${one.id}`}>
                    <Foreign text={one.origin} />
                  </a>{" "}
                  {one.isNew ? <span class="new">new</span> : null}
                  <br />
                  <Foreign text={toAnswerText(one)} />
                </>
              ),
            },
            { title: "waiting", isNumber: true, cell: ({ waiting }) => number(waiting) },
            { title: "parked", isNumber: true, cell: ({ parked }) => number(parked) },
            { title: "arrived", isNumber: true, cell: ({ arrived }) => number(arrived) },
            { title: "failed again", isNumber: true, cell: ({ failedAgain }) => number(failedAgain) },
            { title: "last seen", cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} now={now} /> },
          ]}
        />
      ),
    },
  ],
});
