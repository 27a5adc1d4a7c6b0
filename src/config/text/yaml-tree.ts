import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from "yaml";
import { quoted, toPathText, type TextPosition, type Problem, type ValuePath } from "../problem.ts";
import { toSyntaxFindings } from "./syntax-errors.ts";
import { findExcess, textLimits } from "./token-gate.ts";

/** A YAML (or JSON) text as plain data with the place of each key and value. */
export interface YamlTree {
  readonly value: unknown;
  /** The position of a key, or of a value; of the nearest parent that exists when the path does not. */
  locate(path: ValuePath, part: "key" | "value"): TextPosition;
}

export type YamlReading =
  /** The tree can be checked further, so that all problems are reported at once. It may be adopted only without problems. */
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
  readonly entries: Map<string | number, { readonly keyAt: number; readonly place: Place }>;
}

/** Strict YAML 1.2: no duplicate keys, tags, merge keys, prototype names, second documents, or great depth and size. */
export function parseYaml(text: string, file: string): YamlReading {
  const lines = new LineCounter();
  const problems: Problem[] = [];
  const report = (offset: number, path: ValuePath, message: string, expected: string): void => {
    problems.push({ file, ...locateOffset(offset), path: toPathText(path), expected, message });
  };
  const locateOffset = (offset: number): TextPosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };

  const excess = findExcess(text);
  if (excess !== null) {
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
      if (at < excess.offset) lines.addNewLine(at + 1);
    }
    lines.lineStarts.unshift(0);
    report(excess.offset, [], `expected ${excess.expected}`, excess.expected);
    return { ok: false, problems };
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
  const errors = [...document.errors, ...document.warnings];
  for (const finding of toSyntaxFindings(text, errors, locateOffset)) {
    problems.push({ file, path: "", ...finding });
  }
  if (document.directives?.yaml.explicit === true) {
    report(0, [], "expected no %YAML directive", "no %YAML directive");
  }
  if (problems.length > 0) return { ok: false, problems };

  const anchors = new Map<string, Node>();
  let values = 0;
  let exhausted = false;

  function walk(
    node: Node | null | undefined,
    path: ValuePath,
    fallbackAt: number,
    expanding: boolean,
  ): [unknown, Place] {
    const place: Place = { at: startOf(node, fallbackAt), entries: new Map() };
    values += 1;
    if (values > maxValues || path.length > textLimits.maxDepth) {
      if (!exhausted) {
        const expected =
          values > maxValues
            ? `at most ${maxValues} values, each use of an alias counted`
            : `nesting at most ${textLimits.maxDepth} levels deep`;
        report(place.at, path.slice(0, 4), `expected ${expected}`, expected);
      }
      exhausted = true;
    }
    if (exhausted || node === null || node === undefined) return [null, place];
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target !== undefined) return walk(target, path, place.at, true);
      report(place.at, path, `unknown alias ${quoted(node.source)}`, "an alias of an anchor above it");
      return [null, place];
    }
    if (!expanding && "anchor" in node && typeof node.anchor === "string") anchors.set(node.anchor, node);
    if (isMap(node)) return [walkMap(node.items as readonly MapItem[], path, place, expanding), place];
    if (isSeq(node)) {
      const list = (node.items as readonly Node[]).map((item, index) => {
        const [value, itemPlace] = walk(item, [...path, index], place.at, expanding);
        place.entries.set(index, { keyAt: itemPlace.at, place: itemPlace });
        return value;
      });
      return [list, place];
    }
    const value = isScalar(node) ? node.value : null;
    const refuse = expanding ? ignore : report;
    if (typeof value === "string" && shownMark.test(value)) {
      const expected = "the value itself, not the mark that stands for it where settings are shown";
      refuse(place.at, path, `expected ${expected}`, expected);
    }
    return [value, place];
  }

  function walkMap(items: readonly MapItem[], path: ValuePath, place: Place, expanding: boolean): unknown {
    const map: Record<string, unknown> = {};
    // What is wrong below an anchor is reported at the anchor, not once more for each alias.
    const refuse = expanding ? ignore : report;
    for (const item of items) {
      const keyAt = startOf(item.key, place.at);
      const key = keyText(item.key);
      if (key === undefined) {
        refuse(keyAt, path, "expected a key that is text", "a key that is text");
      } else if (key === "<<") {
        refuse(
          keyAt,
          path,
          "merge keys (<<) are not supported; expected the keys themselves",
          "no merge key",
        );
      } else if (prototypeNames.has(key)) {
        refuse(keyAt, path, `${quoted(key)} cannot be a name`, "another name");
      } else if (Object.hasOwn(map, key)) {
        refuse(keyAt, path, `duplicate key ${quoted(key)}`, "each key once");
      } else {
        const [value, valuePlace] = walk(item.value, [...path, key], keyAt, expanding);
        map[key] = value;
        place.entries.set(key, { keyAt, place: valuePlace });
      }
    }
    return map;
  }

  const [value, root] = walk(document.contents, [], 0, false);
  if (exhausted) return { ok: false, problems };
  return {
    ok: true,
    problems,
    tree: {
      value,
      locate(path, part) {
        let place = root;
        let at = root.at;
        for (const [depth, segment] of path.entries()) {
          const entry = place.entries.get(segment);
          if (entry === undefined) break;
          place = entry.place;
          at = part === "key" && depth === path.length - 1 ? entry.keyAt : place.at;
        }
        return locateOffset(at);
      },
    },
  };
}

function ignore(): void {}

interface MapItem {
  readonly key: Node | string | null;
  readonly value: Node | null;
}

function keyText(key: MapItem["key"]): string | undefined {
  if (typeof key === "string") return key;
  return isScalar(key) && typeof key.value === "string" ? key.value : undefined;
}

/** A value that is not there (`when:` and nothing) has the position of its key. */
function startOf(node: MapItem["key"] | undefined, fallbackAt: number): number {
  if (node === null || node === undefined || typeof node === "string" || !node.range) return fallbackAt;
  const [start, end] = node.range;
  return start === end ? fallbackAt : start;
}
