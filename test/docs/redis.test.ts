import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentedUsers } from "../support/redis-acl.ts";

const allowed = new Set(
  documentedUsers("x").server.flatMap((rule) => (rule.startsWith("+") ? [rule.slice(1).split("|")[0]] : [])),
);

function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|js)$/.test(name) && !name.endsWith(".d.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
}

function commandsIn(texts: readonly string[], pattern: RegExp): ReadonlySet<string> {
  return new Set(
    texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = ""]) => name.toLowerCase())),
  );
}

describe("the user of docs/redis.md", () => {
  it("may use every command of our scripts and calls; CONFIG, which many forbid, is only a fallback", () => {
    const own = ["store", "redis", "compose"].flatMap((folder) => filesUnder(`src/job/${folder}`));
    const inScripts = commandsIn(own, /redis\.p?call\(\s*'([A-Z]+)/g);
    const called = commandsIn(own, /\.(?:command|askMasters)\(\s*"([A-Z]+)"/g);
    expect(inScripts.size).toBeGreaterThan(20);
    expect(called.size).toBeGreaterThan(5);
    const needed = new Set([...inScripts, ...called]);
    expect([...needed].filter((name) => !allowed.has(name))).toEqual(["config"]);
  });

  it("may use every command of the queue's scripts, also of those that run once a year", () => {
    const scripts = filesUnder("node_modules/bullmq/dist/esm/scripts");
    const needed = commandsIn(scripts, /(?:rcall|redis\.p?call)\(\s*\\?["']([A-Za-z]+)/g);
    expect(needed.size).toBeGreaterThan(50);
    expect([...needed].filter((name) => !allowed.has(name))).toEqual([]);
  });

  it("may use nothing dangerous but INFO", () => {
    const dangerous = "keys flushall flushdb config debug migrate restore sort monitor";
    expect(dangerous.split(" ").filter((name) => allowed.has(name))).toEqual([]);
  });
});
