import { filterOf } from "../query.ts";
import type { Html } from "../screen.ts";

export interface QueryField {
  /** Of the query. */
  readonly name: string;
  readonly label: string;
  /** Values to choose from; without them any text. */
  readonly choices?: readonly string[];
  readonly kind?: "text" | "datetime-local";
}

export function Filters({
  path,
  query,
  filters,
}: Readonly<{ path: string; query: URLSearchParams; filters: readonly QueryField[] }>): Html {
  return (
    <form class="filters" method="get" action={path} role="search">
      {filters.map(({ name, label, choices, kind = "text" }) => (
        <p class="field">
          <label for={`filter-${name}`}>{label}</label>
          {choices === undefined ? (
            <input
              id={`filter-${name}`}
              name={name}
              type={kind}
              value={filterOf(query, name) ?? ""}
              maxlength={200}
            />
          ) : (
            <select id={`filter-${name}`} name={name}>
              <option value="">any</option>
              {choices.map((choice) => (
                <option value={choice} selected={choice === filterOf(query, name)}>
                  {choice}
                </option>
              ))}
            </select>
          )}
        </p>
      ))}
      <p class="field">
        <button type="submit">Filter</button> <a href={path}>Clear</a>
      </p>
    </form>
  );
}
