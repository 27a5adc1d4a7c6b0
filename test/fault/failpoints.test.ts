import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { effectNames, notReached, otherPorts } from "./effects.ts";

const contracts = resolve(import.meta.dirname, "../../src/job/contracts");

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
  const text = readFileSync(join(import.meta.dirname, "effects.ts"), "utf8");
  const [, ports = ""] = /^export interface Ports \{\n([\s\S]*?)^\}/m.exec(text) ?? [];
  const known = new Set([...Object.keys(otherPorts), ...ports.split(/\W+/)]);
  expect(declared.length).toBeGreaterThan(15);
  expect(declared.filter((name) => !known.has(name))).toEqual([]);
});

it("the failpoints excuse nothing that is no effect", () => {
  expect(Object.keys(notReached).filter((name) => !effectNames().includes(name))).toEqual([]);
});
