/** Where the files of the pages are: the console's own beside this file, and the chart's in its package. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const uplot = dirname(createRequire(import.meta.url).resolve("uplot"));

export function ownFile(name: string): string {
  return join(import.meta.dirname, "browser", name);
}

export function chartFile(name: string): string {
  return join(uplot, name);
}
