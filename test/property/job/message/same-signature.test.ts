import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signatureOf } from "../../../../src/job/message/signature/signature-of.ts";
import { signatureOf as signatureBefore } from "../../../support/signature-before/signature-of.ts";
import { anyText, casesOf } from "../../../support/fuzzing.ts";

const fields = (responseBody: string) => ({ responseStatus: 500, responseBody, responseBodyBase64: "" });
/** Ids are kept in Redis over builds, so this one must read an answer as those before it. */
const expectSame = (body: string): void =>
  expect(signatureOf(fields(body)), body.slice(0, 5_000)).toEqual(signatureBefore(fields(body)));

const hex = fc.stringMatching(/^[0-9a-f]{8,40}$/);
const base62 = fc.stringMatching(/^[A-Za-z0-9]{8,40}$/);
const base36 = fc.stringMatching(/^[a-z0-9]{8,24}$/);
const varying = fc.oneof(
  fc.uuid(),
  hex,
  hex.map((id) => id.toUpperCase()),
  base62,
  base36,
  fc.stringMatching(/^[0-9]{1,25}$/),
  fc.stringMatching(/^[a-z]{0,6}[0-9]{1,4}[a-z]{0,6}$/),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toUTCString()),
  fc.double().map(String),
  fc.ipV4(),
);
/** What stands before or behind a varying part, and may change how it reads. */
const signs = fc.constantFrom(
  ..." |  |-|_|.|:|, |,|=| = |/|?id=|&|+| -| +|(|)|[|]|<|>|'|\"|\\|\n|#|@|://|%|%2|0x|sha|aws|é|ü".split("|"),
  "",
);
const words = fc.constantFrom(
  ..."order failed Monday mon sat jan token= token password: key= signature Bearer Basic cookie: sid= authorization 2025-10-19 18:33 18:33:05 18:33:05. 2025-10-19T UTC GMT E1001 v1 /v1/ trace req id upstream".split(
    " ",
  ),
  '"code":',
  '"error":',
  '"error" : -',
  '"message":"',
  "not found",
);

interface Template {
  readonly parts: readonly string[];
  readonly ids: readonly (readonly string[])[];
}
const kinds = [
  fc.uuid(),
  hex,
  base62,
  base36,
  fc.stringMatching(/^[0-9a-f]{16}$/),
  fc.stringMatching(/^[0-9a-f]{10}$/),
  fc.stringMatching(/^[0-9]{4}$/),
  fc.stringMatching(/^[0-9]{20}$/),
  fc.stringMatching(/^[a-z0-9]{12}$/),
];
/** Texts that differ in their varying parts alone, so that one may be read as another was. */
const templates: fc.Arbitrary<Template> = fc
  .array(
    fc.tuple(
      words,
      signs,
      fc.constantFrom(...kinds).chain((kind) => fc.array(kind, { minLength: 4, maxLength: 4 })),
      signs,
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) => ({
    parts: all.map(([word, before, , after]) => `${word}${before}\0${after}`),
    ids: all.map(([, , ids]) => ids),
  }));
const fill = ({ parts, ids }: Template, at: number): string =>
  parts.map((part, index) => part.replace("\0", () => ids[index]![at]!)).join("");

const wrapped: readonly ((text: string, n: number) => string)[] = [
  (text) => text,
  (text) => JSON.stringify({ error: text }),
  (text) => JSON.stringify({ message: text, code: text.slice(-12) }),
  (text) => JSON.stringify({ trace: text, error: { message: text } }),
  (text, n) => `{"error":${n},"code":"E${n}","detail":"${text}"}`,
  (text) => `{${text}}`,
  (text) => `<html><title>${text}</title><p>${text}</html>`,
  (text) => `<?xml version="1.0"?><a id="${text}">${text}</a>`,
  (text) => JSON.stringify({ message: text, dump: "x".repeat(5_000) }),
  (text) => `${"a".repeat(495)}${text}`,
  (text) => `${"word ".repeat(815)}${text}${text}`,
];

describe("the signature of an answer is the one that earlier builds made", () => {
  it("of answers that differ in ids, numbers and times", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(
        templates,
        fc.constantFrom(...wrapped),
        fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
        (template, wrap, numbers) => {
          for (let at = 0; at < 4; at += 1) expectSame(wrap(fill(template, at), numbers[at]!));
        },
      ),
      { numRuns: casesOf(1_000) },
    );
  });

  it("of any answer, and of what its digits could be instead", { timeout: 120_000 }, () => {
    const texts = fc.oneof(
      fc.array(fc.oneof(words, varying, signs), { maxLength: 10 }).map((parts) => parts.join("")),
      fc.array(fc.oneof(words, varying, signs), { maxLength: 10 }).map((parts) => `{"${parts.join("")}`),
      fc.json(),
      anyText(60),
    );
    fc.assert(
      fc.property(texts, fc.array(fc.nat(9), { minLength: 60, maxLength: 60 }), (text, drawn) => {
        let at = 0;
        expectSame(text);
        expectSame(text.replaceAll(/\d/g, () => String(drawn[at++ % drawn.length])));
      }),
      { numRuns: casesOf(3_000) },
    );
  });

  it.each([
    ["digits", "1234567890".repeat(500_000)],
    ["hex digits", "a1b2c3d4e5".repeat(500_000)],
    ["one of a surrogate pair", "\ud83d".repeat(5_000)],
    ["surrogate pairs", "\u{1f600}1".repeat(100_000)],
    ["nested quotes", '{"error":"\\"'.repeat(100_000)],
    ["backslashes", `{"error":"${"\\".repeat(100_001)}`],
    ["codes for private use", "\ue000 \ue123 1 \ue010".repeat(10)],
    ["escapes", '{"error":"\\u00e9 12 \\u0030x1f2e3d4c \\ue000 \\u"}'],
    ["zeros of JSON", '{"error":-0}'],
    ["numbers of JSON", '{"error":-7}'],
    ["no JSON", '{"a":012,"error":"x"}'],
    ["JSON", '{"a":312,"error":"x"}'],
    ["a code", '{"code":"E1001"}'],
    ["another code", '{"code":"E1002"}'],
    ["white space", " \n\t "],
  ])("of hostile answers: %s", (_, body) => {
    const texts = [body, `x ${body}`, JSON.stringify(body), JSON.stringify({ error: body })].map(fields);
    expect(texts.map(signatureOf)).toEqual(texts.map(signatureBefore));
  });
});
