import { toPrintable, toSpelledOut } from "../../../job/message/show-masked-values.ts";
import type { Html } from "../screen.ts";

/**
 * Text that strangers wrote: characters that a screen would obey are spelled out, it is cut, and it cannot
 * turn what stands beside it around. `isWhole`: it is of bounded length, and is not cut.
 */
export function Foreign({ text, isWhole = false }: Readonly<{ text: string; isWhole?: boolean }>): Html {
  return <bdi>{isWhole ? toSpelledOut(text) : toPrintable(text)}</bdi>;
}

/** Lines to be copied. */
export function Lines({ text }: { readonly text: string }): Html {
  return (
    <div class="command">
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  );
}

export function Points({ texts }: { readonly texts: readonly string[] }): Html {
  return (
    <ul>
      {texts.map((text) => (
        <li>
          <Foreign text={text} />
        </li>
      ))}
    </ul>
  );
}

/** A command line that does the same, to be copied: whole, as operations/command-line.ts has written it. */
export function CommandLine({ line }: { readonly line: string }): Html {
  return (
    <p class="command">
      <code>{line}</code>
    </p>
  );
}
