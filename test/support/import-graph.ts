import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

export const root = resolve(import.meta.dirname, "../../src");

/** Every file of src, absolute. */
export const files: readonly string[] = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => join(root, name));

export interface Import {
  readonly file: string;
  readonly from: string;
  readonly specifier: string;
  readonly isTypeOnly: boolean;
  /** Loaded when it is come to, not with the file. */
  readonly isDynamic: boolean;
}

/** Parts of the job that are no stage of a letter's way. */
const partsOfJob = new Set([
  "archive",
  "compose",
  "contracts",
  "daemon",
  "message",
  "queue",
  "redis",
  "rules",
  "service",
  "statistics",
  "store",
]);

export const imports: readonly Import[] = files.flatMap(readImports);

/**
 * The first part of a file's path in src; of the job and of people the second too. All stages of the job are
 * `job`, but for the two files of its door.
 */
export function folderOf(file: string): string {
  const [first = "", second = ""] = relative(root, file).split(sep);
  if (first === "job" && /^door(-pure)?\.ts$/.test(second)) return "job/door";
  if (first === "job") return partsOfJob.has(second) ? `job/${second}` : "job";
  return first === "people" ? `people/${second}` : first;
}

const graph = new Map<string, string[]>(files.map((file) => [file, []]));
for (const { file, specifier } of imports) {
  if (specifier.startsWith(".")) graph.get(file)?.push(resolve(dirname(file), specifier));
}

/** The files of src that a file imports, types included. */
export function importedBy(file: string): readonly string[] {
  return graph.get(file) ?? [];
}

function readImports(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|import\("([^"]+)"\)/gm,
  );
  return [...statements].map(([, type, from, bare, dynamic]) => ({
    file,
    from: folderOf(file),
    specifier: from ?? bare ?? dynamic ?? "",
    isTypeOnly: type !== undefined,
    isDynamic: dynamic !== undefined,
  }));
}
