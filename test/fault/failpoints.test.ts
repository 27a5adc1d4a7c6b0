import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { effectNames, methods, notReached, otherPorts, sourceParts } from "./effects.ts";

const src = resolve(import.meta.dirname, "../../src");

/** Interfaces with methods, by name, as their files declare them; data has none. */
function interfacesIn(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const file of files) {
    const text = readFileSync(join(src, file), "utf8").replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    for (const [, name = "", body = ""] of text.matchAll(/^export interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)) {
      const names = [...body.matchAll(/^ {2}(?:readonly )?(\w+)(?:\(|\?\(|: \()/gm)].map(
        ([, own = ""]) => own,
      );
      if (names.length > 0) found.set(name, names);
    }
  }
  return found;
}

const portFiles = readdirSync(join(src, "job/contracts")).map((file) => join("job/contracts", file));
const declared = interfacesIn([...portFiles, "job/archive/disk.ts"]);
const portOf: Readonly<Record<string, keyof typeof methods>> = {
  MessageService: "service",
  Ledger: "ledger",
  Capacity: "capacity",
  Audit: "audit",
  CopyBook: "copies",
  PassBook: "passes",
  FailureBook: "failures",
  SourceBook: "book",
  GuardBook: "guardBook",
  LaneBook: "laneBook",
  StatisticsStore: "statistics",
  Archive: "archive",
  Disk: "disk",
  DiskFile: "diskFile",
  WorkQueue: "queue",
};

describe("the failpoints", () => {
  it("know every port there is, or say why they need not", () => {
    const unknown = [...declared.keys()].filter(
      (name) => portOf[name] === undefined && otherPorts[name] === undefined && !insideOnly.has(name),
    );
    expect(declared.size).toBeGreaterThan(15);
    expect(unknown).toEqual([]);
  });

  it.each(Object.entries(portOf))("know every method of %s", (name, port) => {
    expect(Object.keys(methods[port]).toSorted()).toEqual([...(declared.get(name) ?? [])].toSorted());
  });

  it("know every part of a source", () => {
    const text = readFileSync(join(src, "job/runtime.ts"), "utf8");
    const [, own = ""] = /interface SourceRuntime extends World \{\n([\s\S]*?)^\}/m.exec(text) ?? [];
    const keys = [...own.matchAll(/^ {2}readonly (\w+):/gm)].map(([, key = ""]) => key);
    const world = ["clock", "identities", "events", "by"];
    expect(Object.keys(sourceParts).toSorted()).toEqual([...keys, ...world].toSorted());
  });

  it("excuse nothing that is no effect", () => {
    expect(Object.keys(notReached).filter((name) => !effectNames().includes(name))).toEqual([]);
  });
});

/** Functions that are handed in, and change nothing outside this process. */
const insideOnly = new Set(["Identities", "Events", "JobContext"]);
