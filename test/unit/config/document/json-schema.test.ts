import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import * as z from "zod";
import { documentJsonSchema, documentJsonSchemaText } from "../../../../src/config/document/json-schema.ts";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import { toEffectiveDocument } from "../../../../src/config/document/show-effective-document.ts";
import { head, load } from "../../../support/loaded-document.ts";
import { wholeDocument } from "../../../support/whole-document.ts";

const schema = documentJsonSchema();
const reader = z.fromJSONSchema(schema);
const accepts = (text: string): boolean => reader.safeParse(parse(text)).success;

const withRule = (rule: string) => `${head}drains: { orders: { rules: [${rule}] } }`;

describe("the JSON Schema of the drains document", () => {
  it("is committed as it is: write it anew with redriver rules schema", () => {
    expect(readFileSync("config/schema/drains.schema.json", "utf8")).toBe(documentJsonSchemaText());
  });

  it.each([
    ["a whole document", wholeDocument],
    ["drains.yaml", readFileSync("config/drains.yaml", "utf8")],
    ["drains.example.yaml", readFileSync("config/drains.example.yaml", "utf8")],
  ])("accepts %s", (_name, text) => {
    expect(loadDocument(text, "drains.yaml").ok).toBe(true);
    expect(accepts(text)).toBe(true);
  });

  it.each([
    "{ when: { responseStatus: [503, 502-504, 5xx, '< 3', none, { range: 1-2 }, { exists: false }] }, then: hold }",
    "{ when: { createdAt: ['< 2026-11-01', 1700000000000, { exists: true }], age: ['> 1h', 1h-2h] }, then: hold }",
    "{ when: { callerIp: [10.0.0.0/8, { in: ['::1'] }], header: { A: x }, responseHeader: { B: [y, none] } }, then: hold }",
    "{ when: { body: { /a: [1, x, null, true, '< 3', { range: 1-2 }], '': { exists: true } }, responseBody: '*x*' }, then: hold }",
    "{ when: { any: [{ not: { host: a } }, { all: [{ path: /b }] }] }, then: hold }",
    "{ when: any, then: republish, limit: 5/s, set: { queue: null, delay: 5s, headers: { A: null }, flowControl: null } }",
    "{ when: any, then: republish, set: { body: { patch: [{ op: add, path: /a, value: null }, { op: move, from: /a, path: /b }] } } }",
  ])("accepts what the loader accepts: %s", (rule) => {
    expect(loadDocument(withRule(rule), "drains.yaml")).toMatchObject({ ok: true });
    expect(accepts(withRule(rule))).toBe(true);
  });

  it.each([
    ["an unknown key", `${head}drains: { orders: { mod: live } }`],
    ["an unknown form", withRule("{ when: { host: { glob: a } }, then: hold }")],
    ["an unknown action", withRule("{ when: any, then: retry }")],
    ["a secret in the document", "version: 1\nsources: { a: { token: abc } }\ndrains: {}"],
    ["a word for a lane", `${head}drains: { orders: { lane: careful } }`],
    [
      "a patch without an operation",
      withRule("{ when: any, then: republish, set: { body: { patch: [{ path: /a }] } } }"),
    ],
  ])("refuses %s", (_name, text) => {
    expect(loadDocument(text, "drains.yaml").ok).toBe(false);
    expect(accepts(text)).toBe(false);
  });

  // The committed text has the place of each.
  it("has as defaults what means the same if it is written out", () => {
    const text = `version: 1
archive: { dir: /archive }
sources: { a: {} }
drains: { d: { guards: [{ index: i, hold: pending_index_count > 1 }] } }
indexes: { i: { id: i, credentials: { user: { env: U }, password: { env: P } } } }
notify: { n: { url: "https://example.com", form: events } }
`;
    expect(load(stringify(toEffectiveDocument(text))).document.hash).toBe(load(text).document.hash);
  });

  it("says of a limit what it is without a lane, as loading answers it", () => {
    const text = `${head}drains: { d: { lane: none } }`;
    const effective = toEffectiveDocument(text) as { drains: { d: { limits: Record<string, unknown> } } };
    expect(load(stringify(effective)).document.hash).toBe(load(text).document.hash);
    for (const name of ["publish", "perHost", "perDay"]) {
      const value = String(effective.drains.d.limits[name]);
      expect(JSON.stringify(schema)).toContain(`Without a lane ${value} unless set.`);
    }
  });
});
