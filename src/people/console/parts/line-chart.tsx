import type { Html } from "../screen.ts";
import { number } from "../../operations/phrases.ts";
import { Table } from "./table.tsx";
import { Time } from "./time.tsx";

interface Line {
  readonly label: string;
  /** Unix ms and value, oldest first. */
  readonly points: readonly (readonly [at: number, value: number])[];
}

/** A chart where there is a script, over a table that has the same numbers. Nothing without points. */
export function LineChart({
  title,
  lines,
}: {
  readonly title: string;
  readonly lines: readonly Line[];
}): Html | null {
  const times = [...new Set(lines.flatMap(({ points }) => points.map(([at]) => at)))].toSorted(
    (one, other) => one - other,
  );
  if (times.length === 0) return null;
  const valuesOf = lines.map(({ points }) => new Map(points));
  const chart = {
    times: times.map((at) => at / 1_000),
    series: lines.map(({ label }, index) => ({
      label,
      values: times.map((at) => valuesOf[index]?.get(at) ?? null),
    })),
  };
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div
        data-chart={JSON.stringify(chart)}
        role="img"
        aria-label={`${title}; its numbers are in the table`}
      ></div>
      <details>
        <summary>Numbers</summary>
        <Table
          caption={title}
          empty="No points."
          rows={times.toReversed()}
          columns={[
            { title: "time", cell: (at) => <Time at={at} /> },
            ...lines.map(({ label }, index) => ({
              title: label,
              isNumber: true,
              cell: (at: number) => {
                const value = valuesOf[index]?.get(at);
                return value === undefined ? null : number(value);
              },
            })),
          ]}
        />
      </details>
    </figure>
  );
}
