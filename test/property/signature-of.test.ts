import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signatureOf } from "../../src/signature/signature-of.ts";
import { letterOf } from "../support/letters.ts";

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
      { numRuns: 2_000 },
    );
  });

  it("does not depend on the data in the text", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(), fc.uuid(), fc.nat(), (id, count, otherId, otherCount) => {
        expect(of(`item ${id} failed after ${count} ms`)).toEqual(
          of(`item ${otherId} failed after ${otherCount} ms`),
        );
      }),
    );
  });

  it.each([
    '"',
    "<",
    "a@",
    ":",
    "a-",
    " '",
    "aB",
    " ",
    "<title",
    '{"error":"',
    '"error" ',
    "token=",
    "0",
    "mon ",
    "{",
    "“",
    "\\",
    '"code":"a',
    `${"a".repeat(59)}! `,
    "1:2:",
    "1.",
    "http://",
  ])("of a body of 1 MB is found in a moment: %j", (piece) => {
    const body = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const startedAt = performance.now();
    for (let times = 0; times < 5; times++) of(body);
    // A quadratic pattern would take 10^12 steps for it.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
