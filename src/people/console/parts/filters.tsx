import { defined } from "../../../job/message/defined.ts";
import { filterOf } from "../query.ts";
import type { Html } from "../screen.ts";
import { Field } from "./act-form.tsx";

export interface QueryField {
  /** Of the query. */
  readonly name: string;
  readonly label: string;
  /** Values to choose from; without them any text. */
  readonly choices?: readonly string[];
  readonly type?: "text" | "datetime-local";
}

export function Filters({
  path,
  query,
  filters,
}: Readonly<{ path: string; query: URLSearchParams; filters: readonly QueryField[] }>): Html {
  return (
    <form class="filters" method="get" action={path} role="search">
      {filters.map(({ choices, ...field }) => (
        <Field
          id={`filter-${field.name}`}
          value={filterOf(query, field.name)}
          field={{
            ...field,
            kind: choices === undefined ? "text" : "choice",
            ...defined({ choices: choices && ["", ...choices].map((one) => [one, one || "any"] as const) }),
          }}
        />
      ))}
      <p class="field">
        <button type="submit">Filter</button> <a href={path}>Clear</a>
      </p>
    </form>
  );
}
