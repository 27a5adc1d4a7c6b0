import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { files, folderOf, imports, root, type Import } from "../support/import-graph.ts";

/**
 * Who may import whom, by folder of src. `message` and `rules` are pure and below everything; implementations
 * never import each other; only compose builds. ARCHITECTURE.md says the same in short.
 */
const pure = ["job/message", "job/rules", "job/contracts"];
/** All that people know of the job. */
const door = ["job/door", ...pure];
/** Small files of src itself. */
const shared = [
  "address-ranges.ts",
  "bounded-map.ts",
  "bounded-server.ts",
  "group-items-by-key.ts",
  "system-world.ts",
  "teardown.ts",
];

const mayImport: Readonly<Record<string, readonly string[]>> = {
  "job/message": [],
  "job/rules": ["job/message"],
  "job/contracts": ["job/message", "job/rules"],
  job: [...pure, "bounded-map.ts", "group-items-by-key.ts"],
  "job/service": ["job/contracts", "job/message", "egress"],
  "job/redis": ["job/contracts", "within-ms.ts"],
  "job/store": [...pure, "job/redis", "bounded-map.ts", "group-items-by-key.ts"],
  "job/queue": ["job/contracts", "job/redis", "bounded-map.ts", "within-ms.ts"],
  "job/archive": ["job/contracts", "job/message"],
  "job/statistics": ["job/contracts", "job/message", "egress"],
  "job/compose": [
    ...pure,
    "job",
    "job/service",
    "job/redis",
    "job/store",
    "job/queue",
    "job/archive",
    "job/statistics",
    "config",
    "egress",
    "steady-memory.ts",
    "system-world.ts",
    "teardown.ts",
  ],
  "job/daemon": [
    "job",
    "job/contracts",
    "job/compose",
    "job/queue",
    "job/redis",
    "config",
    "bounded-map.ts",
    "bounded-server.ts",
    "system-world.ts",
  ],
  // Nobody in the job knows it.
  "job/door": [...pure, "job", "job/compose", "job/daemon"],
  config: [...pure, "address-ranges.ts"],
  egress: ["address-ranges.ts"],
  telemetry: [...pure],
  "people/plan": [...door, ...shared, "people/read"],
  "people/read": [...door, ...shared],
  "people/notices": [...door, ...shared, "config", "egress", "people/read"],
  "people/operations": [...door, ...shared, "config", "people/plan", "people/read"],
  "people/console": [...door, ...shared, "config", "people/operations", "people/plan", "people/read"],
  "people/cli": [
    ...door,
    ...shared,
    "config",
    "telemetry",
    "people/console",
    "people/notices",
    "people/operations",
    "people/plan",
    "people/read",
  ],
  "address-ranges.ts": [],
  "bounded-map.ts": [],
  "bounded-server.ts": ["job/contracts"],
  "group-items-by-key.ts": [],
  "steady-memory.ts": [],
  "system-world.ts": ["job/contracts"],
  "teardown.ts": ["within-ms.ts"],
  "within-ms.ts": [],
  "main.ts": ["people/cli", "steady-memory.ts"],
};

/** From these a folder takes types alone; its parts of them are handed in. */
const typesOnly: Readonly<Record<string, readonly string[]>> = {
  "job/store": ["job/message", "job/rules"],
};

/** A library has one owner; what is listed behind it are the exceptions, each with its reason. */
const libraryOwners: Readonly<Record<string, readonly string[]>> = {
  ioredis: ["job/redis"],
  bullmq: ["job/queue"],
  pino: ["telemetry"],
  "prom-client": ["telemetry"],
  convict: ["config"],
  yaml: ["config"],
  // Pure code, without a clock, a socket or a file.
  re2js: ["job/rules"],
  // Rows of Redis are checked with the schema of a contract, operations declare their fields with it, and the API its reads.
  zod: ["config", "job/contracts", "people/console", "people/operations", "people/plan"],
  // The queue asks it for the next time, the document whether a pattern is one.
  "cron-parser": ["config", "job/queue"],
  undici: ["job/service", "egress", "job/statistics", "people/notices"],
  hono: ["job/daemon", "people/console"],
  "@hono/node-server": ["bounded-server.ts"],
  commander: ["people/cli"],
  "@modelcontextprotocol/sdk": ["people/cli"],
  "fast-json-patch": ["job/message"],
  jose: ["job"],
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
    const pure = new Set(["job/message", "job/rules"]);
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
    ["of any command", "people/cli/program.ts", ["commander"]],
    [
      "of config",
      "people/cli/config/command.ts",
      ["commander", "convict", "cron-parser", "re2js", "yaml", "zod"],
    ],
    [
      "of rules",
      "people/cli/rules/command.ts",
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
