import { describe, expect, it, test } from "vitest";
import { formatProblem } from "../../../../src/config/problem.ts";
import {
  readLineageKey,
  readSecret,
  toAddressSetting,
  toTokenSetting,
} from "../../../../src/config/read-secret.ts";
import type { Settings } from "../../../../src/config/settings/settings.ts";
import { showEffectiveSettings } from "../../../../src/config/settings/settings-file.ts";
import type { SecretRef, SourceConfig } from "../../../../src/job/contracts/drains-document.ts";
import { useSettings } from "../../../support/settings.ts";

const { load, path, problemsOf, write } = useSettings();
const fileWith = (content: string | Buffer): string => write("secret", content);
const settingsOf = (env: Record<string, string> = {}) => load({ env });

/** The secret, or what is wrong with it. */
const said = (reading: ReturnType<typeof readSecret> | ReturnType<typeof readLineageKey>): string =>
  reading.ok ? String(reading.value) : formatProblem(reading.problem);

const from = (env: Record<string, string> = {}) => ({ env, settings: settingsOf() });

describe("a secret", () => {
  it.each(["s3cret", "s3cret\n", "s3cret\r\n"])("in a file loses one line end at most: %j", (content) => {
    expect(said(readSecret({ kind: "file", path: fileWith(content) }, from()))).toBe("s3cret");
  });

  it.each([["s3cret\nX-Evil: 1"], ["s3cret\u0000"], [Buffer.from([0x73, 0xff])], ["s".repeat(9_000)]])(
    "that cannot stand in a header is refused and not repeated: %j",
    (content) => {
      const reading = readSecret({ kind: "file", path: fileWith(content) }, from());
      expect(reading.ok).toBe(false);
      expect(JSON.stringify(reading)).not.toMatch(/s3 ?cret|Evil|sss/);
      expect(JSON.stringify(reading)).toContain(path());
    },
  );

  const alone = "expected the secret alone, printable characters without spaces, got";
  const mistakes: readonly (readonly [text: string, got: string])[] = [
    ['"s3cret"', "quotes around it"],
    ["token = s3cret", "a name and = before it"],
    ["service_token: s3cret", "a name and : before it"],
    ["Bearer s3cret", "the word Bearer before it"],
    ["<dev>", "a placeholder, which nothing fills in"],
    ["${TOKEN}", "a placeholder, which nothing fills in"],
    ["$QSTASH_TOKEN", "a placeholder, which nothing fills in"],
    ["{{ .Values.token }}", "a placeholder, which nothing fills in"],
    ['{"token":"s3cret"}', "JSON around it"],
    ["s3cret;", "a semicolon behind it"],
    ["s3c\nret\n", "a line break inside"],
    ["s3cret\n\n", "a line break inside"],
    ["s3\tcret", "a space"],
    ["\ufeffs3cret", "a byte order mark before it"],
    ["s3crét", "a character that is not ASCII"],
    ["s3cret\u200b", "a character that is not ASCII"],
    ["s3cret\u0007", "a control character"],
  ];
  it.each(mistakes)("with a mistake of copying is refused by its name: %j", (text, got) => {
    const file = fileWith(text);
    const places: readonly (readonly [SecretRef, Settings, string])[] = [
      [{ kind: "file", path: file }, settingsOf(), `file ${file}`],
      [
        { kind: "settings" },
        settingsOf({ REDRIVER_SERVICE_TOKEN_FILE: file }),
        `service.tokenFile (REDRIVER_SERVICE_TOKEN_FILE) ${file}`,
      ],
    ];
    for (const [ref, settings, place] of places) {
      const reading = readSecret(ref, { env: {}, settings });
      expect(said(reading)).toBe(`${place}: ${alone} ${got}`);
    }
    const given = text.replace(/\n$/, "");
    expect(said(readSecret({ kind: "env", name: "T" }, from({ T: given })))).toContain(
      `variable T: ${alone}`,
    );
    for (const name of ["REDRIVER_SERVICE_TOKEN", "QSTASH_TOKEN"]) {
      expect(problemsOf({ env: { [name]: given } })).toEqual([
        expect.stringContaining(`service.token (${name}): ${alone}`),
      ]);
    }
  });

  it.each(['"s3cret', "eyJVc2VySUQiOiJhYmMifQ==", "a.b-c_d~e+f/g==", "a;b", "$2b$10$abc", "{abc}", "x:y"])(
    "that can be right is taken: %j",
    (text) => {
      const reading = readSecret({ kind: "file", path: fileWith(`${text}\n`) }, from());
      expect(reading).toEqual({ ok: true, value: text });
      expect(problemsOf({ env: { REDRIVER_SERVICE_TOKEN: text } })).toEqual([]);
    },
  );

  it("of Redis or from before may look like anything", () => {
    const text = '"KEY_OF=sixteen_characters"';
    const redis = { SENTINELS: "127.0.0.1:26379", SENTINEL_NAME: "main", SENTINEL_PASSWORD: text };
    const env = Object.entries(redis).map(([name, value]) => [`REDRIVER_REDIS_${name}`, value]);
    expect(problemsOf({ env: { ...Object.fromEntries(env), REDRIVER_LINEAGE_OLD_KEYS: text } })).toEqual([]);
  });

  it("is read from an environment variable", () => {
    expect(said(readSecret({ kind: "env", name: "T" }, from()))).toBe(
      "environment variable T: expected a secret, got nothing",
    );
  });

  it("is read from the settings, or from the file they name, at each reading", () => {
    const given = settingsOf({ REDRIVER_SERVICE_TOKEN: "abc" });
    expect(said(readSecret({ kind: "settings" }, { env: {}, settings: given }))).toBe("abc");
    const settings = settingsOf({ REDRIVER_SERVICE_TOKEN_FILE: fileWith("first") });
    expect(said(readSecret({ kind: "settings" }, { env: {}, settings }))).toBe("first");
    fileWith("second");
    expect(said(readSecret({ kind: "settings" }, { env: {}, settings }))).toBe("second");
  });

  it("that is missing is told by the setting's name", () => {
    expect(said(readSecret({ kind: "settings" }, from()))).toBe(
      "service.token (REDRIVER_SERVICE_TOKEN): expected a secret, got nothing",
    );
    const settings = settingsOf({ REDRIVER_SERVICE_TOKEN_FILE: path("none") });
    expect(said(readSecret({ kind: "settings" }, { env: {}, settings }))).toMatch(
      /^service\.tokenFile \(REDRIVER_SERVICE_TOKEN_FILE\) .*: expected a readable file that holds the secret: it does not exist$/,
    );
  });
});

describe("the lineage key", () => {
  it("is the setting, the file, or left to be derived", () => {
    expect(readLineageKey(settingsOf())).toEqual({ ok: true, value: undefined });
    const key = "k".repeat(16);
    expect(said(readLineageKey(settingsOf({ REDRIVER_LINEAGE_KEY: key })))).toBe(key);
    expect(said(readLineageKey(settingsOf({ REDRIVER_LINEAGE_KEY_FILE: fileWith(`${key}\n`) })))).toBe(key);
    expect(said(readLineageKey(settingsOf({ REDRIVER_LINEAGE_KEY_FILE: fileWith("s3cret\n") })))).toMatch(
      /^lineage\.keyFile \(REDRIVER_LINEAGE_KEY_FILE\) .*: expected a key of at least 16 printable characters without spaces$/,
    );
    // What else may have come along is found as in any secret.
    const copied = `REDRIVER_LINEAGE_KEY=${key}`;
    const wrong = readLineageKey(settingsOf({ REDRIVER_LINEAGE_KEY_FILE: fileWith(copied) }));
    expect(said(wrong)).toMatch(/, got a name and = before it$/);
    const problems = problemsOf({ env: { REDRIVER_LINEAGE_KEY: copied } });
    expect(problems.join()).toMatch(/, got a name and = before it$/);
    expect(said(readLineageKey(settingsOf({ REDRIVER_LINEAGE_KEY_FILE: path("none") })))).toContain(
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

describe("secrets of the settings", () => {
  const env = {
    REDRIVER_SERVICE_TOKEN: "hunter1",
    REDRIVER_REDIS_URL: "rediss://user:hunter2@redis.example:6380/1?password=hunter3",
    REDRIVER_LINEAGE_KEY: "hunter4-of-16-characters",
    REDRIVER_LINEAGE_OLD_KEYS: "hunter5-of-16-characters,hunter6-of-16-characters",
  };

  it("are shown as set or unset", () => {
    const shown = showEffectiveSettings(load({ env }));
    expect(shown).not.toContain("hunter");
    expect(shown).toContain('token: "[set]"');
    expect(shown).toContain("url: rediss://[set]@redis.example:6380/1\n");
    expect(showEffectiveSettings(load({}))).toContain('token: "[unset]"');
  });

  it("are not repeated by problems, whatever is wrong with them", () => {
    const wrong = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, `${value} \n`]));
    const problems = problemsOf({ env: wrong });
    expect(problems.length).toBeGreaterThanOrEqual(3);
    expect(problems.join("\n")).not.toContain("hunter");
  });

  it("shown and saved do not load as if they were the secrets", () => {
    const shown = showEffectiveSettings(load({ env }));
    expect(problemsOf({ file: write("settings.yaml", shown) }).length).toBeGreaterThanOrEqual(3);
  });
});

describe("redis.urlFile", () => {
  it("holds the address, so that its password need not stand in the environment", () => {
    const url = "rediss://me:secret@redis.example.com:6380";
    expect(load({ env: { REDRIVER_REDIS_URL_FILE: fileWith(`${url}\n`) } }).redis.url).toBe(url);
  });

  it("tells what came along when it was copied", () => {
    const file = fileWith("REDRIVER_REDIS_URL=redis://a:secret-text@b:1");
    expect(problemsOf({ env: { REDRIVER_REDIS_URL_FILE: file } })).toEqual([
      "redis.urlFile (REDRIVER_REDIS_URL_FILE): expected a readable file that holds an address such as redis://user:password@host:6379, got a name and = before it",
    ]);
  });

  it.each([
    ["is not there", () => ({ REDRIVER_REDIS_URL_FILE: "/nowhere/redis-url" })],
    ["holds something else", () => ({ REDRIVER_REDIS_URL_FILE: fileWith("secret-text") })],
    ["stands twice", () => ({ REDRIVER_REDIS_URL_FILE: "/x", REDRIVER_REDIS_URL: "redis://a:1" })],
  ])("is a problem that names the setting when it %s", (_name, env) => {
    const problems = problemsOf({ env: env() });
    expect(problems).toEqual([expect.stringContaining("redis.urlFile (REDRIVER_REDIS_URL_FILE): ")]);
    expect(problems.join()).not.toContain("secret-text");
  });
});
