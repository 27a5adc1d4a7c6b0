import { number } from "../../operations/phrases.ts";
import type { Html } from "../screen.ts";
import { OwnWords } from "./word.tsx";

export interface Tile {
  readonly name: string;
  /** Null: not known yet. */
  readonly count: number | null;
  readonly what?: string;
  /** Of the stylesheet: its colour is that of a line of the chart. */
  readonly line?: string;
  readonly mood?: "bad" | "stale" | "";
  readonly href?: string;
}

export function Tiles({ of }: { readonly of: readonly Tile[] }): Html {
  return (
    <ul class="tiles">
      {of.map(({ name, count, what, line, mood, href }) => (
        <li class={line && `of-${line}`}>
          <strong class={mood}>{count === null ? "–" : number(count)}</strong>{" "}
          {href === undefined ? <OwnWords text={name} /> : <a href={href}>{<OwnWords text={name} />}</a>}
          {what && <span class="hint">{what}</span>}
        </li>
      ))}
    </ul>
  );
}
