import { describe, expect, it } from "vitest";
import { otherEnvNames } from "../../src/config/settings/environment.ts";
import { loadSettings } from "../../src/config/settings/load-settings.ts";
import { settingNames, settingRows, toEnvName } from "../../src/config/settings/settings-table.ts";
import { createFolder } from "../support/command.ts";
import { codeBlocks, codeSpans, documentPages, readDoc, tableRows } from "../support/markdown.ts";

const page = readDoc("docs/settings.md");
const plain = (cell: string) => /^`(.*)`$/.exec(cell)?.[1] ?? cell;
const section = (title: string) =>
  page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? "there is no such section";

/** service.url and drains.file as they come out. */
const load = (input: Partial<Parameters<typeof loadSettings>[0]>) => {
  const outcome = loadSettings({ env: {}, flags: {}, ...input });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  return [outcome.settings.service.url, outcome.settings.drains.file];
};

/** The terms of a sum. */
const words = (text: string) => text.split(/[-+>]|\s+/).filter((word) => word !== "");

describe("docs/settings.md", () => {
  it("has a row for every setting, and no other, as the code has it", () => {
    const rows = tableRows(page, ["setting", "environment variable", "default", "what it is for"]);
    expect(
      rows.map(([name = "", env = "", fallback = "", description]) => ({
        name: plain(name),
        env: plain(env),
        default: plain(fallback),
        description,
      })),
    ).toEqual(
      settingNames.map((name) => {
        const { default: fallback, doc: description } = settingRows[name];
        return { name, env: toEnvName(name), default: String(fallback ?? "") || "none", description };
      }),
    );
  });

  it("names as secrets exactly those that are", () => {
    const [sentence = ""] = section("Secrets").split(" are secrets:");
    expect(codeSpans(sentence).toSorted()).toEqual(
      settingNames.filter((name) => settingRows[name].secret).toSorted(),
    );
  });

  it("shows a settings file that loads, and whose values count", () => {
    const [block] = codeBlocks(page).filter(({ language }) => language === "yaml");
    const file = createFolder().write("settings.yaml", block?.text ?? "");
    const outcome = loadSettings({ file, env: {}, flags: {} });
    expect(outcome).toMatchObject({
      ok: true,
      settings: { http: { port: 9_000 }, redis: { keyPrefix: "redriver-eu" }, shutdown: { softMs: 10_000 } },
    });
  });

  it("says the order of default, fallback, file, environment and flags as it is", () => {
    const file = createFolder().write(
      "settings.yaml",
      "service: { url: https://file.test }\ndrains: { file: from-file.yaml }\n",
    );
    const steps = [
      ...section("Where a setting comes from").matchAll(/^\d\. (?:the |a )?([\w ]+|`QSTASH_URL`)/gm),
    ];
    expect(steps.map((match) => match[1])).toEqual([
      "default",
      "`QSTASH_URL`",
      "settings file",
      "environment",
      "flags",
    ]);
    const fallback = { QSTASH_URL: "https://fallback.test" };
    const env = {
      ...fallback,
      REDRIVER_SERVICE_URL: "https://env.test",
      REDRIVER_DRAINS_FILE: "from-env.yaml",
    };
    const flags = { "drains.file": "from-flag.yaml" };
    expect(load({})).toEqual([undefined, settingRows["drains.file"].default]);
    expect(load({ env: fallback })).toEqual(["https://fallback.test", "config/drains.yaml"]);
    expect(load({ env: fallback, file })).toEqual(["https://file.test", "from-file.yaml"]);
    expect(load({ env, file })).toEqual(["https://env.test", "from-env.yaml"]);
    expect(load({ env, file, flags })).toEqual(["https://env.test", "from-flag.yaml"]);
  });

  it("shows the arithmetic that keeps a message from doubling with the values that are the default", () => {
    const [names = "", values = ""] =
      codeBlocks(page)
        .find(({ text }) => text.includes("dedupWindow"))
        ?.text.split("\n") ?? [];
    const expected = words(names).map((word) => {
      if (word === "dedupWindow") return "10m";
      const name = settingNames.find((known) => known === word);
      return name === undefined ? word : settingRows[name].default;
    });
    expect(words(names)).toContain("ledger.sendBy");
    expect(words(values)).toEqual(expected);
  });
});

describe("all documents", () => {
  it.each(documentPages)("%s names only environment variables that are read", (document) => {
    // Kubernetes makes these up for a Service; the page says that they are passed over.
    const madeUp = ["REDRIVER_SERVICE_HOST", "REDRIVER_PORT"];
    const known = new Set([...settingNames.map(toEnvName), ...otherEnvNames, ...madeUp]);
    const named = [...readDoc(document).matchAll(/\bREDRIVER_[A-Z_]+\b/g)].map(([name]) => name);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it("name settings by their names", () => {
    const sections = new Set(settingNames.map((name) => name.split(".")[0]));
    const named = documentPages.flatMap((document) =>
      codeSpans(readDoc(document)).filter((span) => {
        const [first, ...rest] = span.split(".");
        return (
          /^[a-z]+\.[a-zA-Z]+$/.test(span) && sections.has(first) && !["ts", "yaml"].includes(rest[0] ?? "")
        );
      }),
    );
    expect(named).toContain("service.listTimeout");
    expect(named.filter((name) => !settingNames.some((known) => known === name))).toEqual([]);
  });
});
