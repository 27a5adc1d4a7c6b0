import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ScenarioResult } from "../rig/figures.ts";
import { root } from "../rig/program.ts";
import { toMarkdown, toSideBySide } from "./side-by-side.ts";
import type { Measured } from "./stand/measure.ts";

export interface BenchFigures {
  readonly machine: string;
  readonly results: readonly ScenarioResult[];
  readonly runs: readonly Measured[];
}

const file = resolve(root, "docs/internals/benchmarks.md");
const begin = `<!-- figures on Node ${process.versions.node.split(".")[0]}: npm run bench -- --write -->`;
const end = "<!-- end of figures -->";

/** Replaces the figures of docs/internals/benchmarks.md that are of this version of Node. */
export function writeFigures({ machine, results, runs }: BenchFigures): void {
  const text = readFileSync(file, "utf8");
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`expected ${begin} and ${end} in ${file}`);
  const rows = results.flatMap(({ scenario, figures }) =>
    figures.map(({ what, seen, limit, holds }) => [
      scenario,
      what,
      limit ?? "",
      seen,
      limit === null ? "" : holds ? "pass" : "**fail**",
    ]),
  );
  const table = toMarkdown([["line", "what", "must reach", "figure", ""], ...rows]);
  const figures = `${begin}\n\n${machine}.\n\n${table}\n\n${toMarkdown(toSideBySide(runs))}\n\n`;
  writeFileSync(file, text.slice(0, from) + figures + text.slice(to));
}
