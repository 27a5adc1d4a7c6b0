import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import * as z from "zod";
import { documentJsonSchema, documentJsonSchemaText } from "../../../../src/config/document/json-schema.ts";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import { toEffectiveDocument } from "../../../../src/config/document/show-effective-document.ts";
import { head, load } from "../../../support/loaded-document.ts";
import { everyForm, wholeDocument } from "../../../support/whole-document.ts";

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
    ["every form of a value", everyForm],
    ["drains.yaml", readFileSync("config/drains.yaml", "utf8")],
    ["drains.example.yaml", readFileSync("config/drains.example.yaml", "utf8")],
  ])("accepts %s", (_name, text) => {
    expect(loadDocument(text, "drains.yaml").ok).toBe(true);
    expect(accepts(text)).toBe(true);
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
