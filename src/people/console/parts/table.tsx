import type { Html } from "../screen.ts";
import { isOwnWord, Word } from "./word.tsx";

interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Html | string | number | null;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
}

/** A table with a caption for screen readers. `empty`: what is said if there are no rows. */
export function Table<Row>({
  caption,
  rows,
  columns,
  empty,
}: Readonly<{
  caption: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  empty: string;
}>): Html {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th scope="col" class={isNumber === true ? "number" : undefined}>
                {isOwnWord(title) ? <Word word={title} /> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(({ title, cell, isNumber }) => (
                <td data-title={title} class={isNumber === true ? "number" : undefined}>
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
