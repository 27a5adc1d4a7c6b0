import { aliasOf, nearestName } from "./nearest-name.ts";

/** Never contains a token, a credential, a header value or an address that may carry one. */
export interface Problem extends Partial<TextPosition> {
  readonly file?: string;
  readonly path?: string;
  readonly setting?: string;
  /** What was expected and what was there, shortened, if it may not be secret. Without the place. */
  readonly message: string;
  readonly more?: number;
}

/** Whoever reads a list of problems fixes the first of them and checks again. */
const maxShown = 20;

/** The first of them, and one more that counts those left. Applied again it changes nothing. */
export function firstProblems(problems: readonly Problem[]): readonly Problem[] {
  const shown = problems.filter(({ more }) => more === undefined).slice(0, maxShown);
  const more = countProblems(problems) - shown.length;
  if (more === 0) return shown;
  const file = shown.find((problem) => problem.file !== undefined)?.file;
  const place = file === undefined ? {} : { file };
  return [...shown, { ...place, message: `… and ${more} more`, more }];
}

export function countProblems(problems: readonly Problem[]): number {
  return problems.reduce((sum, { more = 1 }) => sum + more, 0);
}

export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export type ValuePath = readonly (string | number)[];

/** One line: `drains.yaml:7:12 drains.orders.rules[1].when: unknown key "typ"; expected one of …`. */
export function formatProblem(problem: Problem): string {
  const line = problem.line === undefined ? "" : `:${problem.line}`;
  const column = problem.column === undefined ? "" : `:${problem.column}`;
  const place = problem.file === undefined ? "" : `${problem.file}${line}${column}`;
  const subject = problem.setting ?? problem.path ?? "";
  const head = [place, subject].filter((part) => part !== "").join(" ");
  return head === "" ? problem.message : `${head}: ${problem.message}`;
}

export function misfit(expected: string, found?: string, behind = ""): string {
  return `expected ${expected}${found === undefined ? "" : `, got ${found}`}${behind}`;
}

/** `["drains", "orders", "rules", 1]` → `drains.orders.rules[1]`. */
export function toPathText(path: ValuePath): string {
  let text = "";
  for (const segment of path) {
    if (typeof segment === "number") text += `[${segment}]`;
    else if (/^[\w-]{1,64}$/.test(segment)) text += text === "" ? segment : `.${segment}`;
    else text += `[${quoted(segment)}]`;
  }
  return text;
}

export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "object") {
    const kind = Array.isArray(value) ? "list" : "mapping";
    return Object.keys(value).length === 0 ? `an empty ${kind}` : `a ${kind}`;
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value;
}

/** The text in quotes, control characters escaped, shortened to 60 characters. */
export function quoted(text: string): string {
  const shortened = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return JSON.stringify(shortened).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The name that was probably meant comes first. `expected` stands in for a long list. */
export function unknownName(
  kind: string,
  name: string,
  known: readonly string[],
  expected: string = oneOfText(known),
  otherwise = "",
): string {
  const meant = aliasOf(name, known) ?? nearestName(name, known.slice(0, 200));
  const suggestion = meant === undefined ? otherwise : ` did you mean ${quoted(meant)}?`;
  return `unknown ${kind} ${quoted(name)};${suggestion} expected ${expected}`;
}

/** `one of a, b, c`; at most forty names of a longer list. */
export function oneOfText(names: readonly string[]): string {
  if (names.length === 1) return names[0] ?? "";
  const more = names.length > 40 ? ", …" : "";
  return `one of ${names.slice(0, 40).join(", ")}${more}`;
}
