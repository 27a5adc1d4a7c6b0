import { cpSync, existsSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { settingRows } from "../../src/config/settings/settings-table.ts";
import { startEmulator, type Emulator } from "../../dev/emulator/index.ts";
import { runChild, type ChildEnded } from "../support/child.ts";
import { createFolder } from "../support/command.ts";
import {
  codeBlocks,
  documentPages,
  headingSlugs,
  readDoc,
  root,
  shellLines,
  withoutCode,
} from "../support/markdown.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis();

const readme = readDoc("README.md");
const firstPlan = codeBlocks(readme).find(
  ({ language, heading }) => language === "sh" && heading === "A first plan against your own queue",
);
const planLines = (firstPlan?.text ?? "").trim().split("\n");

interface Ended extends ChildEnded {
  readonly line: string;
}

/**
 * Runs one line in a shell of its own that knows the exports above it, and nothing of this process's
 * settings.
 */
async function runLine(
  line: string,
  exports: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  return { line, ...(await runChild("bash", ["-c", [...exports, line].join("\n")], { cwd, env })) };
}

/**
 * A service whose DLQ holds what the smallest document tells apart: 3 are due, 1 is too young, 1 fits no
 * rule, 1 is parked.
 */
async function seededEmulator(): Promise<Emulator> {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const now = Date.now();
  const seeds = [
    { ageMs: 3_600_000, responseStatus: 503 },
    { ageMs: 3_500_000, responseStatus: 504 },
    { ageMs: 3_400_000, responseStatus: undefined },
    { ageMs: 3_300_000, responseStatus: 500 },
    { ageMs: 3_200_000, responseStatus: 503, bodyBase64: "/w==" },
    { ageMs: 40_000, responseStatus: 503 },
  ];
  emulator.dlq.seed(
    seeds.map(({ ageMs, ...fields }) => ({
      dlqId: `${now - ageMs}-0`,
      createdAt: now - ageMs,
      url: "http://127.0.0.1/hook",
      ...fields,
    })),
  );
  return emulator;
}

/** What a reader has after `npm ci && npm run build`, with a token in a file. */
function checkout(token: string): string {
  const folder = createFolder({ "service-token": `${token}\n` });
  for (const name of ["dist", "node_modules", "package.json"]) {
    symlinkSync(path.join(root, name), path.join(folder.path, name));
  }
  cpSync(path.join(root, "config"), path.join(folder.path, "config"), { recursive: true });
  return folder.path;
}

/** The line with the address that a reader puts there. */
function withAddress(line: string, name: string, address: string): string {
  return line.startsWith(`export ${name}=`) ? `export ${name}='${address}'` : line;
}

function writes(emulator: Emulator): readonly unknown[] {
  return [
    ...emulator.journal.entries("request").filter(({ operation }) => operation !== "list"),
    ...emulator.journal.entries("accepted"),
    ...emulator.journal.entries("deleted"),
  ];
}

describe("a first plan, as README tells it", () => {
  it("runs line by line, counts what is in the queue, publishes nothing and deletes nothing", async () => {
    expect(planLines[0]).toBe("npm ci && npm run build");
    const emulator = await seededEmulator();
    const cwd = checkout(emulator.token);
    const lines = planLines.slice(1).map((line) => withAddress(line, "REDRIVER_SERVICE_URL", emulator.url));
    expect(lines).toContain(`export REDRIVER_SERVICE_URL='${emulator.url}'`);

    const exports: string[] = [];
    const ended: Ended[] = [];
    for (const line of lines) {
      ended.push(await runLine(line, exports, cwd, {}));
      if (line.startsWith("export ")) exports.push(line);
    }
    expect(ended.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
    const outputOf = (text: string) => ended.find(({ line }) => line.includes(text))?.out ?? "";
    expect(outputOf("plan --all")).toMatch(/^everything \(mode plan\) on [^\n]*: 6 records$/m);
    expect(outputOf("plan --all")).toMatch(/^ +now +3 republish, 1 park$/m);
    expect(outputOf("plan --all")).toMatch(/^ +stays +1 held$/m);
    expect(emulator.journal.counts().requests["list 200"]).toBeGreaterThan(0);
    expect(writes(emulator)).toEqual([]);
    expect(emulator.dlq.size).toBe(6);
  });

  it("makes one pass by cron, which obeys the plan mode and shows each decision at --log-level debug", async () => {
    const emulator = await seededEmulator();
    const cwd = checkout(emulator.token);
    const line = shellLines(readme).find((one) => one.includes(" drain ")) ?? "";
    const { exitCode, err } = await runLine(`${line} --log-level debug`, [], cwd, {
      QSTASH_URL: emulator.url,
      QSTASH_TOKEN: emulator.token,
      REDRIVER_REDIS_URL: redis.url(),
      REDRIVER_REDIS_KEY_PREFIX: redis.fresh().keyPrefix,
    });
    expect(exitCode).toBe(0);
    const decisions = err.split("\n").filter((text) => text.includes('"record:decided"'));
    expect(decisions).toHaveLength(6);
    expect(decisions.join("\n")).toMatch(/hold: too-young \(rule \\"outage\\", \d+s of 2m\)/);
    expect(writes(emulator)).toEqual([]);
  });
});

describe("the stop, as README tells it", () => {
  it("stops every drain, then lets all go on", async () => {
    const emulator = await seededEmulator();
    const cwd = checkout(emulator.token);
    const env = {
      QSTASH_URL: emulator.url,
      QSTASH_TOKEN: emulator.token,
      REDRIVER_REDIS_URL: redis.url(),
      REDRIVER_REDIS_KEY_PREFIX: redis.fresh().keyPrefix,
    };
    const blocks = codeBlocks(readme).filter(({ heading }) => heading === "Stop everything");
    const lines = blocks.map(({ text }) => text.trim());
    expect(lines).toHaveLength(2);
    const pauses: unknown[] = [];
    for (const line of lines) {
      const act = await runLine(line.replace(/^redriver /, "node dist/main.js "), [], cwd, env);
      expect(act).toMatchObject({ exitCode: 0 });
      const { out } = await runLine("node dist/main.js status --json", [], cwd, env);
      const { drains } = JSON.parse(out) as { readonly drains: readonly { readonly paused: unknown }[] };
      pauses.push(drains.map(({ paused }) => paused !== null));
    }
    expect(pauses).toEqual([[true], [false]]);
  });
});

describe("ports that pages name", () => {
  it.each(documentPages)("of %s are those that redriver listens on", (page) => {
    const own = (["http.port", "callback.port", "console.port"] as const).map((name) =>
      String(settingRows[name].default),
    );
    const named = [...readDoc(page).matchAll(/\b94\d\d\b(?!,\d)/g)].map(([port]) => port);
    expect(named.filter((port) => !own.includes(port))).toEqual([]);
  });
});

/** Where links of a page lead, those to other hosts left out. */
function linksOf(page: string): readonly string[] {
  const links = [...withoutCode(readDoc(page)).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

describe("the pages", () => {
  it("have links to check", () => {
    expect(documentPages.flatMap(linksOf).length).toBeGreaterThan(5);
  });

  it.each(documentPages)("%s links to files and headings that there are", (page) => {
    const broken = linksOf(page).filter((link) => {
      const [file = "", heading] = link.split("#");
      const target = file === "" ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(root, target))) return true;
      return heading !== undefined && !headingSlugs(readDoc(target)).includes(heading);
    });
    expect(broken).toEqual([]);
  });

  it.each(documentPages)("%s sends nobody to act on every drain at once, unasked", (page) => {
    expect(readDoc(page)).not.toMatch(/drain --all|drain --yes|apply [^\n`]*--yes/);
  });

  it.each(documentPages)("%s is about no machine in particular", (page) => {
    const paths = /(?<![\w.:/])(?:\/(?:work|home|root|tmp|Users|mnt|private)\b|~\/|[A-Z]:\\)|file:\/\//g;
    expect(readDoc(page).match(paths)).toBeNull();
  });
});
