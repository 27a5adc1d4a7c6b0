import type { Html } from "../screen.ts";
import { Chart } from "./chart.tsx";
import { Table } from "./table.tsx";
import { Time } from "./time.tsx";

interface Line {
  readonly label: string;
  /** Unix ms and value, oldest first. */
  readonly points: readonly (readonly [at: number, value: number])[];
}

/** Lines of one unit, and a table that has the same numbers. Nothing without points. */
export function LineChart({
  title,
  lines,
}: Readonly<{ title: string; lines: readonly Line[] }>): Html | null {
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
