import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signatureOf } from "../../../../src/job/message/signature/signature-of.ts";
import { letterOf } from "../../../support/letters.ts";
import { casesOf } from "../../../support/fuzzing.ts";

const of = (responseBody: string, responseStatus = 500) =>
  signatureOf(letterOf({ responseBody, responseStatus }));

const secrets = fc.oneof(
  fc.uuid(),
  fc.emailAddress(),
  fc.webUrl({ withQueryParameters: true }),
  fc.ipV4(),
  fc.ipV6(),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
  fc.integer().map(String),
  fc.base64String({ minLength: 24, maxLength: 60 }),
  fc.stringMatching(/^[0-9a-f]{16,40}$/),
  fc.stringMatching(/^(?:sk_live|ghp|xoxb)[_-][A-Za-z0-9]{24}$/),
  fc.stringMatching(/^eyJ[A-Za-z0-9_-]{20,40}\.[A-Za-z0-9_-]{20,60}\.[A-Za-z0-9_-]{20,43}$/),
);

const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** Of characters drawn evenly, as keys are. */
const drawn = (alphabet: string, least: number) =>
  fc
    .array(fc.integer({ min: 0, max: alphabet.length - 1 }), { minLength: least, maxLength: 64, size: "max" })
    .map((draws) => draws.map((draw) => alphabet[draw]).join(""));
/** Sixteen characters and more of several kinds, with a digit among them. */
const tokens = fc
  .oneof(drawn(base64url, 16), drawn(base64url.slice(0, 62), 16), drawn(base64url.slice(26, 62), 16))
  .filter((token) => /[A-Za-z]/.test(token) && /\d/.test(token));
const credentials = drawn(base64url.slice(0, 62), 6).filter((one) => /[A-Z\d]/.test(one));
const passwords = fc.stringMatching(/^[A-Za-z0-9!$*+.~^-]{6,20}$/).filter((one) => new Set(one).size > 5);

const sentences = fc.array(
  fc.oneof(
    fc.constantFrom("order", "of", "failed:", "(id", "user", ")", "-", "code=", '"', "'", "Bearer"),
    secrets,
  ),
  { maxLength: 12 },
);
const bodies = fc.oneof(
  sentences.map((words) => words.join(" ")),
  sentences.map((words) => words.join("")),
  sentences.map((words) => JSON.stringify({ error: { message: words.join(" "), code: words[0] ?? "" } })),
  sentences.map((words) => `<html><title>${words.join(" ")}</title>`),
  sentences.map((words) => `<?xml?><a>${words.join("</a><a>")}</a>`),
  fc.json(),
  fc.string({ unit: "binary", maxLength: 300 }),
);

/** Runs of letters and digits as long as the shortest token, with both in them. */
const tokenLike = /(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{8,}/;

describe("any signature", () => {
  it("is short, printable, stable, and holds no address and no token", () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const { key, text } = of(body);
        expect(of(body)).toEqual({ key, text, status: 500 });
        expect(key).toMatch(/^[0-9a-f]{12}$/);
        expect(text.length).toBeGreaterThan(0);
        expect(text.length).toBeLessThanOrEqual(120);
        expect(text).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        expect(text).not.toMatch(/\S@\S/);
        expect(text).not.toMatch(/:\/\//);
        expect(text).not.toMatch(tokenLike);
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  it("is the same in another build: a failure's id is made of it, and people have marked that", () => {
    const digest = createHash("sha256");
    for (const body of fc.sample(bodies, { seed: 1, numRuns: 2_000 }))
      digest.update(JSON.stringify(of(body)));
    expect(digest.digest("hex")).toMatchInlineSnapshot(
      `"85bab2f1f269372daccb03e36a518a211771d121c89d72cfc26a3eb28ed65eb9"`,
    );
  });

  const places: readonly ((secret: string) => string)[] = [
    (secret) => `the call with ${secret} failed`,
    (secret) => `failed (${secret}): see /v1/${secret}/items or id=${secret}, user:${secret}`,
    (secret) => JSON.stringify({ error: { message: `no ${secret} here`, code: secret } }),
    (secret) => JSON.stringify({ message: `a ${secret}`, dump: "x".repeat(5_000) }),
    (secret) => JSON.stringify({ message: `${"word ".repeat(57)} ${secret}`, dump: "x".repeat(5_000) }),
    (secret) => `<html><title>Not found: ${secret}</title></html>`,
    (secret) => `<?xml version="1.0"?><Error><Code>${secret}</Code></Error>`,
    (secret) => `${"word ".repeat(815)}${secret} ${"x".repeat(50)}`,
  ];
  const credentialPlaces: readonly ((secret: string) => string)[] = [
    (secret) => `Bearer ${secret}`,
    (secret) => `got authorization: BASIC ${secret}, refused`,
    (secret) => `Authorization=${secret}`,
    (secret) => `{password=${secret}, user=x} client_secret: ${secret}; api-key => ${secret}`,
    (secret) => `dial postgres://user:${secret}@db.internal:5432/x`,
    (secret) => `dial user:${secret}@db.internal:5432/x failed`,
    (secret) => JSON.stringify({ password: secret, message: `password: ${secret}` }),
    (secret) => `Cookie: a=${secret}; b=${secret}`,
    (secret) => `invalid value "${secret}"`,
  ];

  it("never holds a token of sixteen characters and more, nor a third of one, wherever it stands", () => {
    fc.assert(
      fc.property(tokens, fc.constantFrom(...places), (token, place) => {
        const { text } = of(place(token));
        for (let at = 0; at + 8 <= token.length; at++) expect(text).not.toContain(token.slice(at, at + 8));
      }),
      { numRuns: casesOf(3_000) },
    );
  });

  it("never holds what stands where a credential does, however short or plain it is", () => {
    fc.assert(
      fc.property(fc.oneof(credentials, passwords), fc.constantFrom(...credentialPlaces), (secret, place) => {
        expect(of(place(secret)).text).not.toContain(secret);
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  it("never holds an e-mail address or its name", () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.constantFrom(...places), (email, place) => {
        const { text } = of(place(email));
        expect(text).not.toContain("@");
        const [name = ""] = email.split("@");
        // Shorter names may stand in the words around them.
        expect(name.length > 4 && text.includes(name)).toBe(false);
      }),
      { numRuns: casesOf(1_000) },
    );
  });

  it.each([
    ...`"¦<¦a@¦:¦a-¦ '¦aB¦ ¦<title¦{"error":"¦"error" ¦token=¦0¦mon ¦{¦“¦\\¦"code":"a¦1:2:¦1.¦http://`.split(
      "¦",
    ),
    ..."a@b ¦Bearer ¦Basic a¦cookie: a=¦a=b;¦pwd¦key =¦aB3-¦/a¦/1a¦Aa".split("¦"),
    `${"a".repeat(59)}! `,
  ])("of a body of 1 MB is found in a moment: %j", (piece) => {
    const body = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const startedAt = performance.now();
    for (let times = 0; times < 5; times++) of(body);
    // A quadratic pattern would take 10^12 steps for it.
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });
});
