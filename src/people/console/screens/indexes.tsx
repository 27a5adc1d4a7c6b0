/** Search indexes as a replica read them last, and what their guards hold back. */
import { readIndexes, type IndexGuard, type IndexStanding } from "../../operations/indexes/read.ts";
import { scalarFields } from "../../../job/contracts/index-statistics.ts";
import type { QueueFacts } from "../../../job/contracts/queue-facts.ts";
import { comparisonText } from "../../../job/rules/patterns/write-number-patterns.ts";
import { CommandLine } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { Ago } from "../parts/time.tsx";
import { defineScreen, live, still, type Html } from "../screen.ts";

interface Model {
  readonly indexes: readonly IndexStanding[];
  readonly facts: QueueFacts;
}

export const indexesScreen = defineScreen<Model>({
  path: "/indexes",
  area: "indexes",
  role: "viewer",
  title: () => "Indexes",
  async load({ core, reads }) {
    const [indexes, facts] = await Promise.all([readIndexes(core), reads.facts()]);
    return { indexes, facts };
  },
  sections: [
    live("guards", (model) => <Guards model={model} />),
    still("indexes-list", ({ indexes }, { now }) => (
      <>
        {indexes.map((index) => (
          <Index index={index} now={now} />
        ))}
      </>
    )),
  ],
});

function Guards({ model: { indexes, facts } }: { readonly model: Model }): Html {
  const guards = indexes.flatMap((index) => index.guards);
  const closed = guards.filter(({ effect }) => effect === "closed");
  if (indexes.length === 0) {
    return <p class="empty">The document has no search index, so nothing waits for one.</p>;
  }
  return (
    <>
      <p class={closed.length === 0 ? "verdict good" : "verdict warn"} role="status">
        {closed.length === 0
          ? "No guard holds messages back."
          : `${closed.map(({ index, drain }) => `Index ${index} holds back ${drain}`).join("; ")}.`}
      </p>
      <Table
        caption="Guards of drains on search indexes"
        empty="No drain has a guard on an index."
        rows={guards}
        columns={({ column, amounts }) => [
          column("drain", ({ drain }) => drain),
          column("index", ({ index }) => <a href={`#index-${index}`}>{index}</a>),
          column("field", ({ field }) => field),
          amounts("value", ({ value }) => value),
          column("holds", ({ config }) => comparisonText(config.hold)),
          column("resumes", ({ config }) => comparisonText(config.resume)),
          column("state", toState),
          amounts("held back", ({ drain, effect }) => (effect === "open" ? 0 : toHeld(facts, drain))),
        ]}
      />
    </>
  );
}

function toState({ effect, why }: IndexGuard): string {
  const state = effect === "closed" ? "holds back" : "lets through";
  return why === "stale" ? `${state}: there is no fresh reading` : state;
}

function toHeld({ drains }: QueueFacts, name: string): number {
  return drains.find(({ drain }) => drain === name)?.facts?.reasons.held["guard"] ?? 0;
}

function Index({
  index: { name, id, period, reading },
  now,
}: Readonly<{ index: IndexStanding; now: number }>): Html {
  const scalars = scalarFields.flatMap((field) => {
    const count = reading?.summary.scalars[field];
    return count === undefined ? [] : [{ name: field.replaceAll("_", " "), count }];
  });
  return (
    <div id={`index-${name}`}>
      <h2>{name}</h2>
      {reading === null ? (
        <>
          <p class="empty">
            No replica has a fresh reading of it (id {id}). To read it now, and to see why not:
          </p>
          <CommandLine line={`redriver index stats ${name}`} />
        </>
      ) : (
        <>
          <p class="hint">
            id {id}, period {period}, read <Ago at={reading.readAt} now={now} />
          </p>
          <Tiles of={scalars} />
        </>
      )}
    </div>
  );
}
