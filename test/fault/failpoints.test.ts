import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { chooseKills } from "./choose-kills.ts";
import { effectNames, methods, notReached, otherPorts, sourceParts } from "./effects.ts";
import { killKinds, type Kill } from "./kill.ts";
import { missingEffects } from "./missing-effects.ts";

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

  it("tell what a recorded run did not come by", () => {
    const all = effectNames().flatMap((name) => [`window/${name}:before`, `window/${name}:after`]);
    expect(missingEffects(all)).toContain("sweep/ledger.begin");
    const without = all.filter((name) => name !== "window/ledger.park:after");
    expect(missingEffects(without)).toContain("ledger.park:after");
    expect(missingEffects(all)).not.toContain("ledger.park:after");
  });
});

/** Functions that are handed in, and change nothing outside this process. */
const insideOnly = new Set(["Identities", "Events", "JobContext"]);

function countKinds(kills: readonly Kill[]): readonly number[] {
  return killKinds.map((kind) => kills.filter((one) => one.kind === kind).length);
}

describe("the choice of kills", () => {
  const passed = ["a", "b", "a", "c", "a", "b", "sweep/d"];
  const many = Array.from({ length: 121 }, (_, index) => `window/${index}:before`);

  it("comes by every failpoint before it comes by one again, and by every passing before one again", () => {
    const kills = chooseKills(passed, 12, 3).map(({ failpoint }) => failpoint);
    expect(new Set(kills.slice(0, 4).map((name) => name[0]))).toEqual(new Set(["a", "b", "c", "s"]));
    expect(new Set(kills.filter((name) => name.startsWith("a")))).toEqual(new Set(["a#1", "a#2", "a#3"]));
    expect(new Set(kills.filter((name) => name.startsWith("c")))).toEqual(new Set(["c#1"]));
  });

  it("gives every failpoint every kind, as often as the others", () => {
    const kills = chooseKills(many, 8 * many.length, 1);
    for (const name of many) {
      expect(countKinds(kills.filter(({ failpoint }) => failpoint === `${name}#1`))).toEqual([2, 2, 2, 2]);
    }
  });

  it("kills again at what was still to be done, in a recovery where there is one", () => {
    const twice = chooseKills(passed, 80, 1).filter(({ kind }) => kind === "kill-twice");
    const againAfter = (isSweep: boolean): ReadonlySet<string | undefined> =>
      new Set(
        twice.filter(({ failpoint }) => failpoint.startsWith("sweep/") === isSweep).map(({ again }) => again),
      );
    expect(againAfter(false)).toEqual(new Set(["sweep/d#1"]));
    expect([...againAfter(true)]).not.toContain(undefined);
  });
});
