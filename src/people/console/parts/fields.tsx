import type { Html } from "../screen.ts";

type Field = readonly [name: string | Html, value: Html | string | number | null | undefined];

/** Names and what they are now; one without a value is left out. */
export function Fields({ of }: { readonly of: readonly Field[] }): Html {
  return (
    <dl>
      {of.map(([name, value]) =>
        value === null || value === undefined ? null : (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ),
      )}
    </dl>
  );
}
