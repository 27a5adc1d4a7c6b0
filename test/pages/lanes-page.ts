import { readFileSync } from "node:fs";

/** A file, from the root of the repository: there this is run, and so are the tests. */
const read = (file: string): string => readFileSync(file, "utf8");

const [begin, end] = ["<!-- The states: npm run docs:lanes -->", "<!-- End of the states -->"];

/** The states and events of a lane, as the comment over its machine has them. */
function statesOfMachine(): string {
  const [, text] = read("src/job/store/lanes/lane-machine.lua.ts").split(/^ \* ---\n/m);
  if (text === undefined)
    throw new Error("the comment over the machine of lanes has no rules around its states");
  return text.replaceAll(/^ \* ?/gm, "").trim();
}

/** docs/lanes.md with the states that the machine has now. */
export function toLanesPage(): string {
  const page = read("docs/lanes.md");
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error("docs/lanes.md has no place for the states");
  return `${page.slice(0, from)}${begin}\n\n${statesOfMachine()}\n\n${page.slice(to)}`;
}
