import { oneOfText, shownValue, toPathText, unknownName, type Problem, type ValuePath } from "../problem.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { textLimits } from "../text/token-gate.ts";
import { parseYaml, type YamlTree } from "../text/yaml-tree.ts";
import { settingNames, type SettingName } from "./table.ts";

export interface FileSetting {
  readonly value: unknown;
  readonly line: number;
  readonly column: number;
}

export interface SettingsFile {
  readonly values: ReadonlyMap<SettingName, FileSetting>;
  readonly problems: readonly Problem[];
}

/** Reads a settings file: YAML or JSON, sections of settings, `http: { port: 9466 }`. A setting without a value is unset. */
export function readSettingsFile(file: string): SettingsFile {
  const read = readTextFile(file, textLimits.maxBytes);
  if (!read.ok) {
    const expected = "a readable settings file (REDRIVER_CONFIG_FILE, --config)";
    return {
      values: new Map(),
      problems: [{ file, expected, message: `expected ${expected}: ${read.why}` }],
    };
  }
  const reading = parseYaml(read.text, file);
  if (!reading.ok) return { values: new Map(), problems: reading.problems };
  const { values, problems } = collectSettings(reading.tree, file);
  return { values, problems: [...reading.problems, ...problems] };
}

function collectSettings(tree: YamlTree, file: string): SettingsFile {
  const values = new Map<SettingName, FileSetting>();
  const problems: Problem[] = [];
  const report = (
    path: ValuePath,
    part: "key" | "value",
    subject: ValuePath,
    problem: Pick<Problem, "expected" | "message">,
  ) => problems.push({ file, ...tree.locate(path, part), path: toPathText(subject), ...problem });

  const visitSection = (section: unknown, path: readonly string[]): void => {
    if (section === null) return;
    if (typeof section !== "object" || Array.isArray(section)) {
      report(path, "value", path, {
        expected: "a mapping",
        message: `expected a mapping, got ${shownKind(section)}`,
      });
      return;
    }
    for (const [key, value] of Object.entries(section)) {
      const here = [...path, key];
      const name = settingNames.find((known) => known === here.join("."));
      const known = namesUnder(path);
      if (key.includes(".") || !known.includes(key)) {
        report(here, "key", path, {
          expected: oneOfText(known),
          message: unknownName("setting", key, known),
        });
      } else if (name === undefined) visitSection(value, here);
      else if (isPlainValue(value)) {
        if (value !== null) values.set(name, { value, ...tree.locate(here, "value") });
      } else
        report(here, "value", here, {
          expected: "a single value",
          message: "expected a single value, got a mapping",
        });
    }
  };
  visitSection(tree.value, []);
  return { values, problems };
}

/** What may stand in a section: `["service"]` → url, token, … */
function namesUnder(path: readonly string[]): readonly string[] {
  const names = settingNames.map((name) => name.split("."));
  const inside = names.filter((segments) => path.every((segment, index) => segments[index] === segment));
  return [...new Set(inside.flatMap((segments) => segments[path.length] ?? []))];
}

function isPlainValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((member) => typeof member !== "object");
  return value === null || typeof value !== "object";
}

/** A section that is no mapping may be a secret that slipped a level up. */
function shownKind(value: unknown): string {
  return Array.isArray(value) ? shownValue(value) : `a ${typeof value}`;
}
