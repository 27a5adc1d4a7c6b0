/**
 * Signatures are kept in Redis over builds, and people write their ids down: this build reads an answer as those
 * before it. A digest of thousands was recorded once. A change that is meant to change signatures, or another version
 * of fast-check, records them anew, with `SIGNATURES=record`.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { signatureOf } from "../../../../src/job/message/signature/signature-of.ts";
import { anyText } from "../../../support/fuzzing.ts";

const recorded = new URL("same-signature.digests.json", import.meta.url);

const dates = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) });
const hex = fc.stringMatching(/^[0-9a-f]{8,40}$/);
const ids = [
  fc.uuid(),
  hex,
  hex.map((id) => id.toUpperCase()),
  fc.stringMatching(/^[0-9a-f]{16}$/),
  fc.stringMatching(/^[A-Za-z0-9]{8,40}$/),
  fc.stringMatching(/^[a-z0-9]{8,24}$/),
  fc.stringMatching(/^[a-z0-9]{12}$/),
  fc.stringMatching(/^[0-9]{1,25}$/),
  fc.stringMatching(/^[a-z]{0,6}[0-9]{1,4}[a-z]{0,6}$/),
];
const varying = fc.oneof(
  ...ids,
  dates.map((date) => date.toISOString()),
  dates.map((date) => date.toUTCString()),
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
/** Texts that differ in their varying parts alone, so that one may be read as another was. */
const templates: fc.Arbitrary<Template> = fc
  .array(
    fc.tuple(
      words,
      signs,
      fc.constantFrom(...ids).chain((kind) => fc.array(kind, { minLength: 4, maxLength: 4 })),
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

const answers = fc
  .tuple(templates, fc.constantFrom(...wrapped), fc.array(fc.nat(), { minLength: 4, maxLength: 4 }))
  .map(([template, wrap, numbers]) => [0, 1, 2, 3].map((at) => wrap(fill(template, at), numbers[at]!)));

const texts = fc
  .tuple(
    fc.oneof(
      fc.array(fc.oneof(words, varying, signs), { maxLength: 10 }).map((parts) => parts.join("")),
      fc.array(fc.oneof(words, varying, signs), { maxLength: 10 }).map((parts) => `{"${parts.join("")}`),
      fc.json(),
      anyText(60),
    ),
    fc.array(fc.nat(9), { minLength: 60, maxLength: 60 }),
  )
  .map(([text, digits]) => {
    let at = 0;
    return [text, text.replaceAll(/\d/g, () => String(digits[at++ % digits.length]))];
  });

const hostile = [
  "1234567890".repeat(500_000),
  "a1b2c3d4e5".repeat(500_000),
  "\ud83d".repeat(5_000),
  "\u{1f600}1".repeat(100_000),
  '{"error":"\\"'.repeat(100_000),
  `{"error":"${"\\".repeat(100_001)}`,
  "\ue000 \ue123 1 \ue010".repeat(10),
  '{"error":"\\u00e9 12 \\u0030x1f2e3d4c \\ue000 \\u"}',
  '{"error":-0}',
  '{"error":-7}',
  '{"a":012,"error":"x"}',
  '{"a":312,"error":"x"}',
  '{"code":"E1001"}',
  '{"code":"E1002"}',
  " \n\t ",
].map((body) => [body, `x ${body}`, JSON.stringify(body), JSON.stringify({ error: body })]);

it("an answer has the signature that it had when these were recorded", { timeout: 120_000 }, () => {
  const drawn = [
    ...fc.sample(answers, { seed: 1, numRuns: 1_000 }),
    ...fc.sample(texts, { seed: 2, numRuns: 1_000 }),
    ...hostile,
  ];
  const digests = Array.from({ length: 10 }, () => createHash("sha256"));
  for (const [at, group] of drawn.entries()) {
    for (const responseBody of group) {
      const signature = signatureOf({ responseStatus: 500, responseBody, responseBodyBase64: "" });
      digests[at % digests.length]!.update(`${JSON.stringify(signature)}\n`);
    }
  }
  const now = digests.map((digest) => digest.digest("hex"));
  if (process.env["SIGNATURES"] === "record") writeFileSync(recorded, `${JSON.stringify(now, null, 2)}\n`);
  expect(now).toEqual(JSON.parse(readFileSync(recorded, "utf8")));
});
