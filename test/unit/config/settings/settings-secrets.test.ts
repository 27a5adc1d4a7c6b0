import { describe, expect, it } from "vitest";
import { showEffectiveSettings } from "../../../../src/config/settings/show-effective-settings.ts";
import { loadSettings, type SettingsInput } from "../../../../src/config/settings/load-settings.ts";
import { useSettings } from "../../../support/settings.ts";

const { load, problemsOf, write } = useSettings();
const settingsFile = (text: string): string => write("settings.yaml", text);

describe("secrets", () => {
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
    expect(problemsOf({ file: settingsFile(shown) }).length).toBeGreaterThanOrEqual(3);
  });
});

const redisUrlFile = (text: string): string => write("redis-url", text);
const loadFrom = (env: SettingsInput["env"]) => loadSettings({ env, flags: {} });

describe("redis.urlFile", () => {
  it("holds the address, so that its password need not stand in the environment", () => {
    const url = "rediss://me:secret@redis.example.com:6380";
    expect(loadFrom({ REDRIVER_REDIS_URL_FILE: redisUrlFile(`${url}\n`) })).toMatchObject({
      ok: true,
      settings: { redis: { url } },
    });
  });

  it.each([
    ['"redis://a:secret-text@b:1"', "quotes around it"],
    ["REDRIVER_REDIS_URL=redis://a:secret-text@b:1", "a name and = before it"],
  ])("tells what came along when it was copied: %s", (text, got) => {
    expect(problemsOf({ env: { REDRIVER_REDIS_URL_FILE: redisUrlFile(text) } })).toEqual([
      `redis.urlFile (REDRIVER_REDIS_URL_FILE): expected a readable file that holds an address such as redis://user:password@host:6379, got ${got}`,
    ]);
  });

  it.each([
    ["is not there", () => ({ REDRIVER_REDIS_URL_FILE: "/nowhere/redis-url" })],
    ["holds something else", () => ({ REDRIVER_REDIS_URL_FILE: redisUrlFile("secret-text") })],
    ["stands twice", () => ({ REDRIVER_REDIS_URL_FILE: "/x", REDRIVER_REDIS_URL: "redis://a:1" })],
  ])("is a problem that names the setting when it %s", (_name, env) => {
    const outcome = loadFrom(env());
    expect(outcome).toMatchObject({
      ok: false,
      problems: [{ setting: "redis.urlFile (REDRIVER_REDIS_URL_FILE)" }],
    });
    expect(JSON.stringify(outcome)).not.toContain("secret-text");
  });
});
