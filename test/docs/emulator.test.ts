import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  faultKinds,
  happeningTypes,
  operations,
  startEmulator,
  type Emulator,
} from "../../dev/emulator/index.ts";
import { toSeed } from "../../dev/emulator/dlq/seeded-record.ts";
import { startHere } from "../support/cli.ts";
import { runChild, type ChildEnded } from "../support/child.ts";
import { createFolder } from "../support/command.ts";
import { codeBlocks, codeSpans, readDoc, root, tableRows } from "../support/markdown.ts";

const manual = readDoc("docs/internals/emulator.md");
const blocks = codeBlocks(manual);
const exports = blocks.find(({ heading }) => heading === "Recipes")?.text ?? "";

const run = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = root,
): Promise<ChildEnded> => runChild(command, args, { cwd, env });

/** An emulator as the recipes ask for it, on ports of its own, and what it takes to reach it. */
async function stand(): Promise<{ emulator: Emulator; env: Record<string, string> }> {
  const emulator = await startEmulator({ token: "dev", retryScale: 0.01 });
  onTestFinished(() => emulator.close());
  return {
    emulator,
    env: { URL: emulator.url, TOKEN: emulator.token, CONTROL: `${emulator.controlUrl}/_control` },
  };
}

async function follow(
  heading: string,
): Promise<{ emulator: Emulator; lines: readonly string[]; out: string }> {
  const block = blocks.find((found) => found.language === "sh" && found.heading === heading);
  if (block === undefined) throw new Error(`no sh block under ${heading}`);
  const { emulator, env } = await stand();
  const { exitCode, out } = await run("/bin/sh", ["-e", "-u", "-c", block.text], env);
  expect({ exitCode, out }).toMatchObject({ exitCode: 0 });
  return { emulator, lines: out.split("\n"), out };
}

it("names every field that a seeded record gets, with its value", () => {
  const rows = tableRows(manual, ["field left out", "value"]).flatMap(([names = "", value = ""]) =>
    codeSpans(names).map((name) => [name, codeSpans(value)[0]] as const),
  );
  const plain = toSeed({}, "1-0", 1);
  expect(rows.map(([name]) => name).toSorted()).toEqual(Object.keys(plain).toSorted());
  const told = new Map(rows);
  const fixed = "url method header body responseHeader responseStatus maxRetries callerIP";
  for (const name of fixed.split(" ")) {
    const value = plain[name];
    expect(told.get(name), name).toBe(typeof value === "string" ? value : JSON.stringify(value));
  }
});

/** What is tried of each recipe; a recipe without an entry here fails. */
const recipes: Readonly<Record<string, (heading: string) => Promise<void>>> = {
  "A message that fails, and its way back": async (heading) => {
    const { emulator, out } = await follow(heading);
    expect(out).toMatch(
      /^\[\{"messageId":"msg_\w+"\}\]\{"messages":\[\{.*"body":"hello".*\}\]\}\{"messageId":"msg_\w+"\}$/,
    );
    expect(emulator.journal.counts()).toMatchObject({ retried: 1, accepted: 2 });
  },
  "An outage and its recovery": async (heading) => {
    const { lines } = await follow(heading);
    expect(lines).toEqual(['{"name":"outage"}503', "{}200", ""]);
  },
  "An answer lost after accepting": async (heading) => {
    const { emulator, out } = await follow(heading);
    expect(out).toContain("no answer\n");
    expect(out).toContain('"deduplicated":true');
    expect(out).toContain('"accepted":1');
    expect(emulator.journal.counts()).toMatchObject({ accepted: 1, deduplicated: 1 });
  },
  "A dead letter that expires": async (heading) => {
    const { emulator, out } = await follow(heading);
    expect(out).toMatch(/\{"messages":\[\]\}$/);
    expect(emulator.journal.counts().expired).toBe(1);
  },
  "An assertion in any language": async (heading) => {
    const { emulator, out } = await follow(heading);
    expect(out).toMatch(/"type":"dead-lettered"/);
    expect(out).toMatch(/"pending":0.*\}\{\}$/);
    expect(emulator.dlq.size).toBe(0);
  },
  "The official client": async (heading) => {
    const block = blocks.find((found) => found.language === "js" && found.heading === heading);
    const folder = createFolder({});
    symlinkSync(path.join(root, "node_modules"), path.join(folder.path, "node_modules"));
    writeFileSync(path.join(folder.path, "publish.mjs"), block?.text ?? "");
    const { emulator, env } = await stand();
    const { exitCode, out, err } = await run(process.execPath, ["publish.mjs"], env, folder.path);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(emulator.journal.entries("accepted").map(({ messageId }) => messageId)).toEqual([out.trim()]);
  },
};

describe("a recipe of docs/internals/emulator.md", () => {
  const headings = [
    ...manual
      .slice(manual.indexOf("\n## Recipes\n"))
      .split("\n## ")[1]!
      .matchAll(/^### (.+)$/gm),
  ];

  it("is tried here, each of them, and nothing else", () => {
    expect(headings.map(([, heading]) => heading)).toEqual(Object.keys(recipes));
  });

  it.each(Object.entries(recipes))("%s: does what it says", async (heading, tried) => {
    await expect(tried(heading)).resolves.toBeUndefined();
  });

  it("finds its addresses in the exports above it", () => {
    expect(exports).toBe(
      "export URL=http://127.0.0.1:7485 TOKEN=dev CONTROL=http://127.0.0.1:7486/_control\n",
    );
  });
});

describe("docs/internals/emulator.md", () => {
  it("has every kind of fault, and no other", () => {
    const rows = tableRows(manual, ["kind", "further fields", "does"]);
    expect(rows.flatMap(([kinds = ""]) => codeSpans(kinds)).toSorted()).toEqual([...faultKinds].toSorted());
  });

  it("names every operation that a fault can concern", () => {
    const sentence = /Common fields:[\s\S]*?`probability`/.exec(manual)?.[0] ?? "";
    expect(codeSpans(sentence)).toEqual(expect.arrayContaining([...operations, "any"]));
  });

  it("names every kind of entry in the journal", () => {
    const sentence = /One entry per happening: ([\s\S]*?)\. It has ids/.exec(manual)?.[1] ?? "";
    expect(codeSpans(sentence).toSorted()).toEqual(happeningTypes.toSorted());
  });

  it("has requests of the control API that there are", async () => {
    const { env } = await stand();
    const rows = tableRows(manual, ["request", "body", "answers"]);
    const paths = rows.flatMap(([requests = ""]) =>
      codeSpans(requests).flatMap((span) => /^(?:[A-Z]+ )?(\/[^?]*)/.exec(span)?.[1] ?? []),
    );
    expect(paths.length).toBeGreaterThan(20);
    for (const documented of paths) {
      const { status } = await fetch(`${env["CONTROL"]}${documented.replaceAll(/\{\w+\}/g, "x")}`, {
        method: "OPTIONS",
      });
      expect([documented, status]).toEqual([documented, 405]);
    }
  });

  it("names every setting that can change", async () => {
    const { emulator } = await stand();
    const response = await fetch(`${emulator.controlUrl}/_control/settings`);
    const section = /### Settings that can change[\s\S]*?mean what/.exec(manual)?.[0] ?? "";
    expect(codeSpans(section).toSorted()).toEqual(Object.keys((await response.json()) as object).toSorted());
  });
});

describe("what redriver emulator prints", () => {
  it("are lines of curl that work as they are", async () => {
    const { printed, interrupt, ended } = startHere(
      "emulator",
      "--port=0",
      "--control-port=0",
      "--token=it's$HOME",
      "--index=a b",
      "--stats-password=p'w",
    );
    const lines = (await printed).split("\n").filter((line) => line.startsWith("curl "));
    expect(lines).toHaveLength(2);
    const answers = await Promise.all(lines.map((line) => run("/bin/sh", ["-c", line], {})));
    interrupt();
    expect((await ended).exitCode).toBe(0);
    expect(JSON.parse(answers[0]!.out)).toEqual({ messages: [] });
    expect(JSON.parse(answers[1]!.out)).toMatchObject({ pending_index_count: expect.any(Number) });
  });
});
