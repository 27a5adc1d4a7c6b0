import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { files, folderOf, imports, root, type Import } from "../support/import-graph.ts";

/**
 * Who may import whom, by folder of src. `message` and `rules` are pure and below everything; implementations
 * never import each other; only compose builds. ARCHITECTURE.md shows the same table.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  message: [],
  rules: ["message"],
  ports: ["message", "rules"],
  redrive: ["message", "rules", "ports", "bounded-map.ts"],
  egress: ["address-ranges.ts"],
  service: ["ports", "message", "egress"],
  redis: ["ports"],
  store: ["ports", "redis", "message", "rules", "bounded-map.ts"],
  queue: ["ports", "redis", "bounded-map.ts"],
  archive: ["ports", "message"],
  statistics: ["ports", "message", "egress"],
  notify: ["ports", "message", "rules", "egress"],
  telemetry: ["ports", "message", "rules"],
  config: ["message", "rules", "ports", "address-ranges.ts"],
  compose: [
    "message",
    "rules",
    "ports",
    "redrive",
    "service",
    "redis",
    "store",
    "queue",
    "archive",
    "statistics",
    "notify",
    "telemetry",
    "config",
    "egress",
    "steady-memory.ts",
  ],
  operations: ["ports", "message", "rules", "redrive", "compose", "config", "queue", "redis", "statistics"],
  daemon: ["ports", "redrive", "compose", "operations", "redis", "bounded-map.ts", "bounded-server.ts"],
  cli: [
    "operations",
    "ports",
    "console",
    "message",
    "rules",
    "redrive",
    "compose",
    "config",
    "daemon",
    "telemetry",
    "queue",
    "redis",
    "statistics",
  ],
  console: [
    "ports",
    "message",
    "rules",
    "redrive",
    "operations",
    "compose",
    "config",
    "address-ranges.ts",
    "bounded-map.ts",
    "bounded-server.ts",
  ],
  "address-ranges.ts": [],
  "bounded-map.ts": [],
  "bounded-server.ts": ["ports"],
  "steady-memory.ts": [],
  "main.ts": ["cli", "steady-memory.ts"],
};

/** From these a folder takes types alone; its parts of them are handed in. */
const typesOnly: Readonly<Record<string, readonly string[]>> = {
  store: ["message", "rules"],
};

/** A library has one owner; what is listed behind it are the exceptions, each with its reason. */
const libraryOwners: Readonly<Record<string, readonly string[]>> = {
  ioredis: ["redis"],
  bullmq: ["queue"],
  pino: ["telemetry"],
  "prom-client": ["telemetry"],
  convict: ["config"],
  yaml: ["config"],
  // Pure code, without a clock, a socket or a file.
  re2js: ["rules"],
  // The console parses the bodies of its HTTP API with it.
  zod: ["config", "console"],
  // The queue asks it for the next time, the document whether a pattern is one.
  "cron-parser": ["config", "queue"],
  undici: ["service", "egress", "statistics", "notify"],
  hono: ["daemon", "console"],
  "@hono/node-server": ["bounded-server.ts"],
  // Charts in the browser.
  uplot: ["console"],
  commander: ["cli"],
  "fast-json-patch": ["message"],
  jose: ["redrive"],
};

/** The emulator, the demo and their commands. */
const workshop = resolve(root, "../dev");

describe("the import table", () => {
  it("finds the imports of the whole tree", () => {
    expect(imports.length).toBeGreaterThan(200);
  });

  it("has a row for every folder", () => {
    const folders = new Set(files.map(folderOf));
    expect([...folders].filter((folder) => mayImport[folder] === undefined)).toEqual([]);
  });

  it("is kept by every file", () => {
    const broken = imports.filter(({ file, from, specifier }) => {
      if (!specifier.startsWith(".")) return false;
      const to = folderOf(resolve(dirname(file), specifier));
      return to !== from && !(mayImport[from] ?? []).includes(to);
    });
    expect(broken.map(toText)).toEqual([]);
  });

  it("lets implementations take nothing but types from below ports", () => {
    const broken = imports.filter(({ file, from, specifier, isTypeOnly }) => {
      if (isTypeOnly || !specifier.startsWith(".")) return false;
      return (typesOnly[from] ?? []).includes(folderOf(resolve(dirname(file), specifier)));
    });
    expect(broken.map(toText)).toEqual([]);
  });

  it("gives every library one owner", () => {
    const broken = imports.filter(({ from, specifier }) => {
      if (specifier.startsWith(".") || specifier.startsWith("node:")) return false;
      return !(libraryOwners[toPackage(specifier)] ?? []).includes(from);
    });
    expect(broken.map(toText)).toEqual([]);
  });

  it("keeps the world out of the pure folders", () => {
    const pure = new Set(["message", "rules"]);
    // The library computes on values alone.
    const allowed = new Set([
      "node:crypto",
      "node:buffer",
      "node:net",
      "node:url",
      "fast-json-patch",
      "re2js",
    ]);
    const broken = imports.filter(
      ({ from, specifier }) => pure.has(from) && !specifier.startsWith(".") && !allowed.has(specifier),
    );
    expect(broken.map(toText)).toEqual([]);
  });
});

it("the emulator and the demo import nothing of the product: a shared parser would share its mistakes", () => {
  const files = readdirSync(workshop, { recursive: true, encoding: "utf8" });
  const broken = files
    .filter((name) => name.endsWith(".ts") && !name.startsWith("test"))
    .filter((name) => readFileSync(join(workshop, name), "utf8").includes("/src/"));
  expect(files.length).toBeGreaterThan(50);
  expect(broken).toEqual([]);
  expect(imports.filter(({ specifier }) => specifier.includes("/dev/")).map(toText)).toEqual([]);
});

describe("a start", () => {
  it.each([
    ["of any command", "main.ts", []],
    ["of any command", "cli/program.ts", ["commander"]],
    ["of config", "cli/config/command.ts", ["commander", "convict", "cron-parser", "re2js", "yaml", "zod"]],
    [
      "of rules",
      "cli/rules/command.ts",
      ["commander", "convict", "cron-parser", "fast-json-patch", "re2js", "yaml", "zod"],
    ],
  ] as const)("%s (%s) loads no library but what it needs", (_, file, libraries) => {
    const loaded = librariesOf(join(root, file), new Set());
    expect([...loaded].filter((name) => !(libraries as readonly string[]).includes(name))).toEqual([]);
  });
});

/** What is loaded with a file, and with what it loads. */
function librariesOf(file: string, seen: Set<string>): Set<string> {
  const found = new Set<string>();
  if (seen.has(file)) return found;
  seen.add(file);
  for (const one of imports) {
    if (one.file !== file || one.isTypeOnly || one.isDynamic) continue;
    const { specifier } = one;
    if (specifier.startsWith(".")) {
      for (const name of librariesOf(resolve(dirname(file), specifier), seen)) found.add(name);
    } else if (!specifier.startsWith("node:")) found.add(toPackage(specifier));
  }
  return found;
}

function toPackage(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
}

function toText({ file, specifier }: Import): string {
  return `${relative(root, file)} imports ${specifier}`;
}
