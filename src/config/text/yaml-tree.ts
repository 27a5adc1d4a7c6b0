import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Node, Scalar, YAMLError } from "yaml";
import { survives } from "../../job/message/json-losses.ts";
import { misfit, quoted, toPathText, type TextPosition, type Problem, type ValuePath } from "../problem.ts";
import { findExcess, textLimits } from "./yaml-limits.ts";

export interface YamlTree {
  readonly value: unknown;
  /** The position of a key, or of a value; of the nearest parent that exists when the path does not. */
  locate(path: ValuePath, part: "key" | "value"): TextPosition;
  /** `named`: the path that it names, if that is another one. */
  problemAt(path: ValuePath, part: "key" | "value", message: string, named?: ValuePath): Problem;
}

export type YamlReading =
  /** Can be checked further, so that all problems are reported at once, and adopted only without problems. */
  | { readonly ok: true; readonly tree: YamlTree; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Values counted with every use of an alias, so that aliases of aliases stay small. */
const maxValues = 50_000;
/** What config show writes in place of a secret; saved and loaded again, it would become the secret. */
const shownMark = /\[(set|unset)\]/;
/** Keys through which careless code reaches a prototype. None of them can be a name in a document. */
const prototypeNames = new Set(["__proto__", "constructor", "prototype"]);

interface Place {
  readonly at: number;
  readonly keyAt: number;
  value: unknown;
  readonly entries: Map<string | number, Place>;
}

/** Strict YAML 1.2: no duplicate keys, tags, merge keys, prototype names, second documents, or great depth. */
export function parseYaml(text: string, file: string): YamlReading {
  const lines = new LineCounter();
  const problems: Problem[] = [];
  const report = (offset: number, path: ValuePath, message: string): void => {
    problems.push({ file, ...locateOffset(offset), path: toPathText(path), message });
  };
  const locateOffset = (offset: number): TextPosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };

  const excess = findExcess(text);
  if (excess !== null) {
    const above = text.slice(0, excess.offset).split("\n");
    const position = { line: above.length, column: (above.at(-1) ?? "").length + 1 };
    return { ok: false, problems: [{ file, ...position, path: "", message: misfit(excess.expected) }] };
  }

  const document = parseDocument<Node>(text, {
    lineCounter: lines,
    // A pretty error quotes the source text, which may be a secret.
    prettyErrors: false,
    // The check of the library compares each key with each other; the walk below uses a set.
    uniqueKeys: false,
    stringKeys: true,
    resolveKnownTags: false,
    // With "silent" the library would pass over a second document without a word.
    logLevel: "error",
  });
  const mistake = firstSyntaxError([...document.errors, ...document.warnings]);
  if (mistake !== null) report(mistake.offset, [], `expected ${mistake.expected}`);
  if (document.directives?.yaml.explicit === true) report(0, [], "expected no %YAML directive");
  if (problems.length > 0) return { ok: false, problems };

  const anchors = new Map<string, Node>();
  let values = 0;
  let exhausted = false;

  /** `expanding`: below an alias. What is wrong there is reported at its anchor, not once more for each alias. */
  function walk(node: Node | null | undefined, path: ValuePath, keyAt: number, expanding: boolean): Place {
    const place: Place = { at: startOf(node, keyAt), keyAt, value: null, entries: new Map() };
    const refuse = expanding ? () => undefined : report;
    values += 1;
    if (!exhausted && (values > maxValues || path.length > textLimits.maxDepth)) {
      const expected =
        values > maxValues
          ? `at most ${maxValues} values, each use of an alias counted`
          : `nesting at most ${textLimits.maxDepth} levels deep`;
      report(place.at, path.slice(0, 4), `expected ${expected}`);
      exhausted = true;
    }
    if (exhausted || node === null || node === undefined) return place;
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target !== undefined) return { ...walk(target, path, place.at, true), keyAt };
      const expected = "an alias of an anchor above it; quote it if a text begins with *";
      report(place.at, path, `unknown alias ${quoted(node.source)}; expected ${expected}`);
      return place;
    }
    if (!expanding && "anchor" in node && typeof node.anchor === "string") anchors.set(node.anchor, node);
    if (isMap<MaybeNode, Node | null>(node)) {
      const map: Record<string, unknown> = {};
      for (const { key: keyNode, value } of node.items) {
        const at = startOf(keyNode, place.at);
        const key = isScalar(keyNode) ? keyNode.value : keyNode;
        const misfit = misfitOfKey(key, map);
        if (misfit !== null) refuse(at, path, misfit);
        if (misfit !== null || typeof key !== "string") continue;
        const member = walk(value, [...path, key], at, expanding);
        map[key] = member.value;
        place.entries.set(key, member);
      }
      place.value = map;
    } else if (isSeq<Node>(node)) {
      place.value = node.items.map((item, index) => {
        const member = walk(item, [...path, index], place.at, expanding);
        place.entries.set(index, member);
        return member.value;
      });
    } else if (isScalar(node)) {
      place.value = node.value;
      if (typeof node.value === "string" && !node.value.isWellFormed()) refuse(place.at, path, halfCharacter);
      if (typeof node.value === "string" && shownMark.test(node.value)) {
        const expected = "the value itself, not the mark that stands for it where settings are shown";
        refuse(place.at, path, `expected ${expected}`);
      }
      const misread = misreadScalar(node, text);
      if (misread !== null) refuse(place.at, path, `expected ${misread}`);
    }
    return place;
  }

  const root = walk(document.contents, [], 0, false);
  if (exhausted) return { ok: false, problems };
  const locate: YamlTree["locate"] = (path, part) => {
    let place = root;
    for (const segment of path) {
      const member = place.entries.get(segment);
      if (member === undefined) return locateOffset(place.at);
      place = member;
    }
    const isKey = part === "key" && typeof path.at(-1) === "string";
    return locateOffset(isKey ? place.keyAt : place.at);
  };
  const problemAt: YamlTree["problemAt"] = (path, part, message, named = path) => ({
    file,
    ...locate(path, part),
    path: toPathText(named),
    message,
  });
  return { ok: true, problems, tree: { value: root.value, locate, problemAt } };
}

type MaybeNode = Node | string | null | undefined;

/** JSON's own form. YAML reads `007`, `+5` and `0x1f` as numbers too, and a longer number as its neighbour. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function misreadScalar({ value, source = "", type, tag, range }: Scalar, text: string): string | null {
  if (typeof value === "number" && !(jsonNumber.test(source) && survives(source.replace("-", "")))) {
    const exactly = jsonNumber.test(source)
      ? `; below body, { range: "${source}-${source}" } asks for it`
      : "";
    return `a number as JSON writes it (quote it if a text is meant): this one is read as ${value}${exactly}`;
  }
  if (tag === "!") return "no tag (!); quote it if a text begins with !";
  // A digit behind the sign of a folded text is its indentation.
  const isFolded = type === "BLOCK_FOLDED" && /^>\d/.test(text.slice(range?.[0]));
  return isFolded
    ? 'quotes around a value with > (quote it, as in ">5"): here it begins a folded text'
    : null;
}
/** An escape can write it; Redis, addresses and files cannot. */
const halfCharacter = "expected whole characters, got half a surrogate pair";

function misfitOfKey(key: unknown, map: object): string | null {
  if (typeof key !== "string") return "expected a key that is text";
  if (key === "<<") return "merge keys (<<) are not supported; expected the keys themselves";
  if (!key.isWellFormed()) return halfCharacter;
  if (prototypeNames.has(key)) return `${quoted(key)} cannot be a name`;
  return Object.hasOwn(map, key) ? `duplicate key ${quoted(key)}` : null;
}

function startOf(node: MaybeNode, fallbackAt: number): number {
  if (node === null || node === undefined || typeof node === "string" || !node.range) return fallbackAt;
  const [start, end] = node.range;
  return start === end ? fallbackAt : start;
}

/** Others mostly follow from it. Behind a colon the library's message repeats the text, which may be secret. */
function firstSyntaxError(
  errors: readonly YAMLError[],
): { readonly offset: number; readonly expected: string } | null {
  const [first] = errors.toSorted((one, other) => one.pos[0] - other.pos[0]);
  if (first === undefined) return null;
  // Its message is that of a call stack.
  if (first.code === "RESOURCE_EXHAUSTION") return { offset: first.pos[0], expected: "less nesting" };
  const [why = ""] = first.message.split(/[:;]/);
  const hint = ofSigns.has(first.code) ? "; quotes around a value with signs of YAML may be missing" : "";
  return { offset: first.pos[0], expected: `valid YAML (${why})${hint}` };
}

/** A tab, an indentation, a second document or an open bracket is none of a value without its quotes. */
const ofSigns: ReadonlySet<string> = new Set<YAMLError["code"]>([
  "BAD_ALIAS",
  "BAD_SCALAR_START",
  "BLOCK_AS_IMPLICIT_KEY",
  "BLOCK_IN_FLOW",
  "NON_STRING_KEY",
  "TAG_RESOLVE_FAILED",
  "UNEXPECTED_TOKEN",
]);
