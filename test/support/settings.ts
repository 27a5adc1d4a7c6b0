import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { formatProblem } from "../../src/config/problem.ts";
import { loadSettings, type SettingsInput } from "../../src/config/settings/load-settings.ts";
import type { Settings } from "../../src/config/settings/settings.ts";
import { settingsOf } from "./loaded-document.ts";

/** Settings loaded from nothing but what is given, and a folder for files of the tests of one file. */
export interface SettingsStand {
  /** Of a file in the folder, or of the folder itself. */
  path(name?: string): string;
  /** Writes a file in the folder; answers its path. */
  write(name: string, content: string | Uint8Array): string;
  load(input: Partial<SettingsInput>): Settings;
  /** A line each, without the folder. */
  problemsOf(input: Partial<SettingsInput>): readonly string[];
}

export function useSettings(): SettingsStand {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "redriver-settings-"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  return {
    path: (name = "") => join(folder, name),
    write(name, content) {
      const file = join(folder, name);
      writeFileSync(file, content);
      return file;
    },
    load: settingsOf,
    problemsOf(input) {
      const outcome = loadSettings({ env: {}, flags: {}, ...input });
      return outcome.ok
        ? []
        : outcome.problems.map((problem) => formatProblem(problem).replaceAll(`${folder}/`, ""));
    },
  };
}
