import { number } from "../../operations/phrases.ts";
import type { Html } from "../screen.ts";
import { OwnWords } from "./word.tsx";

interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Html | string | number | null | undefined;
  readonly kind?: "number";
}

type ToColumn<Row> = (title: string, cell: Column<Row>["cell"]) => Column<Row>;

/** Of `amounts` numbers are written as such, and stand at the right. */
type ToColumns<Row> = (
  to: Readonly<Record<"column" | "amounts", ToColumn<Row>>>,
) => readonly (Column<Row> | false)[];

/** A table with a caption for screen readers. `empty`: what is said if there are no rows. */
export function Table<Row>({
  caption,
  rows,
  columns: toColumns,
  empty,
}: Readonly<{ caption: string; rows: readonly Row[]; columns: ToColumns<Row>; empty: string }>): Html {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const all = toColumns({
    column: (title, cell) => ({ title, cell }),
    amounts: (title, cell) => ({ title, cell: (row) => toAmount(cell(row)), kind: "number" }),
  });
  const columns = all.filter((column) => column !== false);
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th scope="col" class={kind}>
                <OwnWords text={title} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(({ title, cell, kind }) => (
                <td data-title={title} class={kind}>
                  {cell(row) ?? "–"}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function toAmount<Cell>(cell: Cell): Cell | string {
  return typeof cell === "number" ? number(cell) : cell;
}
