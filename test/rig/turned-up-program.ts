import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { turnedUp } from "../support/knobs.ts";
import { builtProgram, root } from "./program.ts";

/** These are no settings, so a copy of the built program has other numbers. Each text stands once in its file. */
interface OneNumber {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const { perWindow, perSource } = turnedUp.pagesInFlight;
const flight = "job/pass/pages-in-flight.js";
/** Small pages and windows make many of the few dead letters that there are at a time. */
const numbers: readonly OneNumber[] = [
  { file: flight, find: "const perWindow = 8;", replace: `const perWindow = ${perWindow};` },
  { file: flight, find: "const perSource = 24;", replace: `const perSource = ${perSource};` },
  {
    file: "job/pass/split-window.js",
    find: "windowSizes = { pages: 20, splitFrom: 90 }",
    replace: "windowSizes = { pages: 2, splitFrom: 1 }",
  },
  {
    file: "job/listing/list-page.js",
    find: "const recordsPerPage = 100;",
    replace: "const recordsPerPage = 3;",
  },
];

/** What the copy is started with. The judge reads the audit on stdout too. */
export const turnedUpEnv = {
  REDRIVER_WINDOWS_CONCURRENCY: String(turnedUp.windowsAtOnce),
  REDRIVER_LOG_AUDIT: "stdout",
} as const;

/**
 * Copies the built program to `dir`, with 64 windows at once (`turnedUpEnv`), 16 pages of each in flight, and a
 * queue that is split into as many. Answers the path of the copy.
 */
export function copyTurnedUp(dir: string): string {
  const dist = join(dir, "dist");
  rmSync(dir, { recursive: true, force: true });
  cpSync(dirname(builtProgram), dist, { recursive: true });
  for (const name of ["package.json", "node_modules", "config"])
    symlinkSync(join(root, name), join(dir, name));
  for (const { file, find, replace } of numbers) {
    const path = join(dist, file);
    const text = readFileSync(path, "utf8");
    if (text.split(find).length !== 2) throw new Error(`expected "${find}" once in ${path}`);
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
  }
  return join(dist, "main.js");
}
