import { toPrintable } from "../../message/show-masked-values.ts";
import type { Html } from "../screen.ts";

/**
 * Text that strangers wrote: characters that a screen would obey are spelled out, it is cut, and it cannot
 * turn what stands beside it around.
 */
export function Foreign({ text }: { readonly text: string }): Html {
  return <bdi>{toPrintable(text)}</bdi>;
}

/** `12,480`. */
export function number(count: number): string {
  return count.toLocaleString("en-US");
}

/** A command line that does the same, to be copied. */
export function CommandLine({ line }: { readonly line: string }): Html {
  return (
    <p class="command">
      <code>{toPrintable(line)}</code>
    </p>
  );
}
