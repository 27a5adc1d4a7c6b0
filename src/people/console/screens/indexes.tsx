/** Search indexes as a replica read them last, and what their guards hold back. */
import { readIndexes, type IndexGuard, type IndexStanding } from "../../operations/indexes/read.ts";
import { scalarFields, type SeriesField } from "../../../job/contracts/index-statistics.ts";
import type { QueueFacts } from "../../../job/contracts/queue-facts.ts";
import { comparisonText } from "../../../job/rules/patterns/write-number-patterns.ts";
import { Chart } from "../parts/chart.tsx";
import { CommandLine } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { Ago, Time } from "../parts/time.tsx";
import { defineScreen, live, still, type Html } from "../screen.ts";

interface Model {
  readonly indexes: readonly IndexStanding[];
  readonly facts: QueueFacts;
}

/** Series of one unit share a chart. */
const charts: readonly (readonly [title: string, fields: readonly SeriesField[]])[] = [
  ["Vectors", ["vector_count"]],
  ["Size", ["data_size"]],
  ["Throughput", ["query_throughput", "update_throughput"]],
  [
    "Mean latency",
    ["query_latency_mean", "update_latency_mean", "embeds_latency_mean", "rerank_latency_mean"],
  ],
  [
    "99th percentile of latency",
    ["query_latency_99", "update_latency_99", "embeds_latency_99", "rerank_latency_99"],
  ],
  ["Requests a day", ["daily_query_requests", "daily_update_requests", "daily_rerank_requests"]],
  ["Bandwidth a day", ["daily_bandwidths"]],
];

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
  index: { name, id, period, reading, series },
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
          {series === null ? (
            <p class="empty">Its charts come with the next reading.</p>
          ) : (
            <div class="charts">
              {charts.map(([title, fields]) => (
                <LineChart
                  title={`${title} of ${name}`}
                  lines={fields.flatMap((field) => {
                    const points = series[field];
                    return points === undefined ? [] : [{ label: field, points }];
                  })}
                />
              ))}
            </div>
          )}
        </>
      )}
    </div>
  );
}

interface Line {
  readonly label: string;
  /** Unix ms and value, oldest first. */
  readonly points: readonly (readonly [at: number, value: number])[];
}

/** Lines of one unit, and a table that has the same numbers. Nothing without points. */
function LineChart({ title, lines }: Readonly<{ title: string; lines: readonly Line[] }>): Html | null {
  const times = [...new Set(lines.flatMap(({ points }) => points.map(([at]) => at)))].toSorted(
    (one, other) => one - other,
  );
  const [from, to] = [times[0], times.at(-1)];
  if (from === undefined || to === undefined) return null;
  const valuesOf = lines.map(({ points }) => new Map(points));
  return (
    <figure class="chart">
      <figcaption>
        {title}
        <span class="legend">
          {lines.map(({ label }, index) => (
            <span class={`of-line${index}`}>{label}</span>
          ))}
        </span>
      </figcaption>
      {from === to ? null : (
        <Chart
          from={from}
          to={to}
          plots={[
            {
              heightPx: 160,
              lines: lines.map(({ points }, index) => ({ name: `line${index}`, kind: "line", points })),
            },
          ]}
          label={`${title}; its numbers are in the table`}
        />
      )}
      <details data-fold={title}>
        <summary>Numbers</summary>
        <Table
          caption={title}
          empty="No points."
          rows={times.toReversed()}
          columns={({ column, amounts }) => [
            column("time", (at) => <Time at={at} />),
            ...lines.map(({ label }, index) =>
              amounts(label, (at: number) => valuesOf[index]?.get(at) ?? null),
            ),
          ]}
        />
      </details>
    </figure>
  );
}
