import { defined } from "../../../job/message/defined.ts";
import { toPathText, type Problem, type ValuePath } from "../../problem.ts";
import type { YamlTree } from "../../text/yaml-tree.ts";

/** Reports a problem at a place in the document. Its message is `expected <expected><behind>` unless given. */
export type Report = (
  path: ValuePath,
  part: "key" | "value",
  expected: string,
  more?: { readonly found?: string | undefined; readonly behind?: string; readonly message?: string },
) => void;

/** The same of what loads and is probably not meant, at a key and with the whole message. */
export type Warn = (path: ValuePath, expected: string, message: string, found?: string) => void;

export function reportTo(problems: Problem[], tree: YamlTree, file: string): Report {
  return (path, part, expected, { found, behind = "", message = `expected ${expected}${behind}` } = {}) => {
    const place = { file, ...tree.locate(path, part), path: toPathText(path) };
    problems.push({ ...place, ...defined({ found }), expected, message });
  };
}
