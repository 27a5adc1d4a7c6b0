/** What to do about an alert: its part of the two pages of runbooks, which the image has. Alerts link here by `runbook_url`. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { defineScreen, still, type Html } from "../screen.ts";

interface Model {
  readonly alert: string;
  readonly parts: readonly { readonly title: string; readonly blocks: readonly string[] }[];
}

/** As far above this folder in `src` as in `dist`. */
const files = ["runbooks.md", "runbooks-system.md"].map((name) =>
  join(import.meta.dirname, "../../../../docs", name),
);

export const runbookScreen = defineScreen<Model>({
  path: "/runbooks/:alert",
  area: "now",
  role: "viewer",
  title: ({ alert }) => alert,
  async load({ params: { alert = "" } }) {
    const pages = await Promise.all(files.map((file) => readFile(file, "utf8")));
    const text = pages.flatMap((page) => page.split(/^## /m)).find((one) => one.startsWith(`${alert}\n`));
    if (text === undefined) return null;
    const [, ...parts] = text.split(/^### /m);
    return {
      alert,
      parts: parts.map((part) => {
        const [title = "", ...blocks] = part.trim().split(/\n\n/);
        return { title, blocks };
      }),
    };
  },
  sections: [still("runbook", ({ parts }) => <Parts parts={parts} />)],
});

function Parts({ parts }: Pick<Model, "parts">): Html {
  return (
    <>
      {parts.map(({ title, blocks }) => (
        <>
          <h2>{title}</h2>
          {blocks.map((block) => (
            <Block block={block} />
          ))}
        </>
      ))}
    </>
  );
}

/** A paragraph, or the points of a list, with a paragraph before them or none. */
function Block({ block }: { readonly block: string }): Html {
  const items = block.split(/\n(?=\s*(?:-|\d+\.) )/);
  const points = items.filter((text) => point.test(text));
  const List = /^\s*\d/.test(points[0] ?? "") ? "ol" : "ul";
  return (
    <>
      {items.length === points.length ? null : <p>{toMarked(items[0] ?? "")}</p>}
      {points.length === 0 ? null : (
        <List>
          {points.map((text) => (
            <li>{toMarked(text.replace(point, ""))}</li>
          ))}
        </List>
      )}
    </>
  );
}

const point = /^\s*(?:-|\d+\.) /;

/** Commands as such. Links go to other pages of the documents, which no console has. */
function toMarked(text: string): readonly (Html | string)[] {
  const plain = text.replaceAll("**", "").replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
  return plain.split("`").map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>));
}
