import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatProblem } from "../../../../src/config/problem.ts";
import { readLineageKey, readSecret } from "../../../../src/config/read-secret.ts";
import { loadSettings } from "../../../../src/config/settings/load-settings.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "redriver-secrets-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const fileWith = (content: string | Buffer): string => {
  const path = join(folder, "secret");
  writeFileSync(path, content);
  return path;
};

const settingsOf = (env: Record<string, string> = {}) => {
  const outcome = loadSettings({ env, flags: {} });
  if (!outcome.ok) throw new Error(outcome.problems.map(formatProblem).join("\n"));
  return outcome.settings;
};

const from = (env: Record<string, string> = {}) => ({ env, settings: settingsOf() });

describe("a secret", () => {
  it.each(["s3cret", "s3cret\n", "s3cret\r\n"])("in a file loses one line end at most: %j", (content) => {
    expect(readSecret({ kind: "file", path: fileWith(content) }, from())).toEqual({
      ok: true,
      value: "s3cret",
    });
  });

  it.each([
    ["s3cret\n\n"],
    ["s3 cret"],
    ["s3cret\nX-Evil: 1"],
    ["s3cret\u0000"],
    [Buffer.from([0x73, 0xff])],
    ["s".repeat(9_000)],
  ])("that cannot stand in a header is refused and not repeated: %j", (content) => {
    const reading = readSecret({ kind: "file", path: fileWith(content) }, from());
    expect(reading.ok).toBe(false);
    expect(JSON.stringify(reading)).not.toMatch(/s3 ?cret|Evil|sss/);
    expect(JSON.stringify(reading)).toContain(folder);
  });

  it.each(["", "\n"])("that is empty is a problem: %j", (content) => {
    const path = fileWith(content);
    const reading = readSecret({ kind: "file", path }, from());
    expect(reading.ok ? "" : formatProblem(reading.problem)).toBe(
      `file ${path}: expected a secret, got nothing`,
    );
  });

  it("is read from an environment variable", () => {
    expect(readSecret({ kind: "env", name: "T" }, from({ T: "abc" }))).toEqual({ ok: true, value: "abc" });
    const reading = readSecret({ kind: "env", name: "T" }, from());
    expect(reading.ok ? "" : formatProblem(reading.problem)).toBe(
      "environment variable T: expected a secret, got nothing",
    );
  });

  it("is read from the settings, or from the file they name, at each reading", () => {
    const { ok, ...rest } = readSecret(
      { kind: "settings" },
      { env: {}, settings: settingsOf({ REDRIVER_SERVICE_TOKEN: "abc" }) },
    );
    expect({ ok, ...rest }).toEqual({ ok: true, value: "abc" });
    const settings = settingsOf({ REDRIVER_SERVICE_TOKEN_FILE: fileWith("first") });
    expect(readSecret({ kind: "settings" }, { env: {}, settings })).toEqual({ ok: true, value: "first" });
    fileWith("second");
    expect(readSecret({ kind: "settings" }, { env: {}, settings })).toEqual({ ok: true, value: "second" });
  });

  it("that is missing is told by the setting's name", () => {
    const unset = readSecret({ kind: "settings" }, from());
    expect(unset.ok ? "" : formatProblem(unset.problem)).toBe(
      "service.token (REDRIVER_SERVICE_TOKEN): expected a secret, got nothing",
    );
    const settings = settingsOf({ REDRIVER_SERVICE_TOKEN_FILE: join(folder, "none") });
    const missing = readSecret({ kind: "settings" }, { env: {}, settings });
    expect(missing.ok ? "" : formatProblem(missing.problem)).toMatch(
      /^service\.tokenFile \(REDRIVER_SERVICE_TOKEN_FILE\) .*: expected a readable file that holds the secret: it does not exist$/,
    );
  });
});

describe("the lineage key", () => {
  it("is the setting, the file, or left to be derived", () => {
    expect(readLineageKey(settingsOf())).toEqual({ ok: true, value: undefined });
    const key = "k".repeat(16);
    expect(readLineageKey(settingsOf({ REDRIVER_LINEAGE_KEY: key }))).toEqual({ ok: true, value: key });
    expect(readLineageKey(settingsOf({ REDRIVER_LINEAGE_KEY_FILE: fileWith(`${key}\n`) }))).toEqual({
      ok: true,
      value: key,
    });
    const short = readLineageKey(settingsOf({ REDRIVER_LINEAGE_KEY_FILE: fileWith("s3cret\n") }));
    expect(short.ok ? "" : formatProblem(short.problem)).toMatch(
      /^lineage\.keyFile \(REDRIVER_LINEAGE_KEY_FILE\) .*: expected a key of at least 16 printable characters without spaces$/,
    );
    const missing = readLineageKey(settingsOf({ REDRIVER_LINEAGE_KEY_FILE: join(folder, "none") }));
    expect(missing.ok ? "" : formatProblem(missing.problem)).toContain(
      "lineage.keyFile (REDRIVER_LINEAGE_KEY_FILE)",
    );
  });
});
