import { toPathText, type Problem, type ValuePath } from "../../problem.ts";
import type { YamlTree } from "../../text/yaml-tree.ts";

export type Report = (path: ValuePath, part: "key" | "value", message: string) => void;

/** The same of what loads and is probably not meant, at a key. */
export type Warn = (path: ValuePath, message: string) => void;

export function reportTo(problems: Problem[], tree: YamlTree, file: string): Report {
  return (path, part, message) => {
    problems.push({ file, ...tree.locate(path, part), path: toPathText(path), message });
  };
}
