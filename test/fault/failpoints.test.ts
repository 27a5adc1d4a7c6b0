import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { effectNames, notReached, otherPorts } from "./effects.ts";

const contracts = resolve(import.meta.dirname, "../../src/job/contracts");

/** Of effects.ts. */
const ports = new Set([
  ...["MessageService", "Ledger", "Capacity", "Audit", "CopyBook", "PassBook", "FailureBook", "SourceBook"],
  ...["GuardBook", "LaneBook", "StatisticsStore", "Archive", "WorkQueue"],
]);
/** Functions that are handed in, and change nothing outside this process. */
const insideOnly = new Set(["Identities", "Events", "JobContext"]);

/** Names of interfaces with methods, as their files declare them; data has none. */
function interfacesIn(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  return [...code.matchAll(/^export interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)].flatMap(
    ([, name = "", body = ""]) => (/^ {2}(?:readonly )?\w+(?:\(|\?\(|: \()/m.test(body) ? [name] : []),
  );
}

// That each port's methods and each part of a source are known is a matter of their types.
it("the failpoints know every port there is, or say why they need not", () => {
  const declared = readdirSync(contracts).flatMap((file) =>
    interfacesIn(readFileSync(join(contracts, file), "utf8")),
  );
  const isKnown = (name: string): boolean => ports.has(name) || insideOnly.has(name) || name in otherPorts;
  expect(declared.length).toBeGreaterThan(15);
  expect(declared.filter((name) => !isKnown(name))).toEqual([]);
});

it("the failpoints excuse nothing that is no effect", () => {
  expect(Object.keys(notReached).filter((name) => !effectNames().includes(name))).toEqual([]);
});
