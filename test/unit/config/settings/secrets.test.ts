import { describe, expect, it, test } from "vitest";
import { formatProblem } from "../../../../src/config/problem.ts";
import { readLineageKey, readSecret } from "../../../../src/config/read-secret.ts";
import { toAddressSetting, toTokenSetting } from "../../../../src/config/source-setting-names.ts";
import type { Settings } from "../../../../src/config/settings/settings.ts";
import type { SecretRef, SourceConfig } from "../../../../src/ports/drains-document.ts";
import { useSettings } from "../../../support/settings.ts";

const { load, path, write } = useSettings();
const fileWith = (content: string | Buffer): string => write("secret", content);
const settingsOf = (env: Record<string, string> = {}) => load({ env });

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
    expect(JSON.stringify(reading)).toContain(path());
  });

  it.each(["", "\n"])("that is empty is a problem: %j", (content) => {
    const file = fileWith(content);
    const reading = readSecret({ kind: "file", path: file }, from());
    expect(reading.ok ? "" : formatProblem(reading.problem)).toBe(
      `file ${file}: expected a secret, got nothing`,
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
    const settings = settingsOf({ REDRIVER_SERVICE_TOKEN_FILE: path("none") });
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
    const missing = readLineageKey(settingsOf({ REDRIVER_LINEAGE_KEY_FILE: path("none") }));
    expect(missing.ok ? "" : formatProblem(missing.problem)).toContain(
      "lineage.keyFile (REDRIVER_LINEAGE_KEY_FILE)",
    );
  });
});

const tokenSetting = (token: SecretRef, service: Partial<Settings["service"]> = {}): string =>
  toTokenSetting({ name: "eu", token } as SourceConfig, { service: service as Settings["service"] });

test("the setting of a token is the one that it is read from, and no other", () => {
  expect(tokenSetting({ kind: "file", path: "/run/eu" }, { token: "secret" })).toBe(
    "sources.eu.token (file /run/eu)",
  );
  expect(tokenSetting({ kind: "env", name: "EU_TOKEN" })).toBe(
    "sources.eu.token (environment variable EU_TOKEN)",
  );
  expect(tokenSetting({ kind: "settings" }, { tokenFile: "/run/token" })).toBe(
    "service.tokenFile (REDRIVER_SERVICE_TOKEN_FILE, /run/token)",
  );
  expect(tokenSetting({ kind: "settings" }, { token: "secret" })).toBe(
    "service.token (REDRIVER_SERVICE_TOKEN, or QSTASH_TOKEN where that is unset)",
  );
});

test("the setting of an address is the source's own, or the service's", () => {
  expect(toAddressSetting({ name: "eu", url: "https://eu.example" } as SourceConfig)).toBe("sources.eu.url");
  expect(toAddressSetting({ name: "eu" } as SourceConfig)).toBe(
    "service.url (REDRIVER_SERVICE_URL, or QSTASH_URL where that is unset)",
  );
});
