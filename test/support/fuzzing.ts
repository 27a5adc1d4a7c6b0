import { randomInt } from "node:crypto";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect } from "vitest";
import type { RawEnd } from "./raw-http.ts";

/**
 * `FUZZ_SEED=<seed>` repeats a run. `FUZZ_TIMES=<factor>` is how much of each property's cases is tried: `npm
 * test` tries a tenth, `npm run test:all` tries all.
 */
export const fuzzSeed = Number(process.env["FUZZ_SEED"] ?? randomInt(2 ** 31));
const times = Number(process.env["FUZZ_TIMES"] ?? 0.1);

export const leastRuns = 25;

/** How many of a property's cases this run tries. */
export const casesOf = (all: number): number => Math.max(leastRuns, Math.round(all * times));

const mostRuns = 2_000;

/**
 * As many runs as fit into the time, and a few on a machine that stands still; a failure is shrunk however
 * long that takes.
 */
export async function fuzz<T>(
  arbitrary: fc.Arbitrary<T>,
  ms: number,
  check: (value: T) => Promise<void>,
): Promise<void> {
  const until = Date.now() + ms * times;
  let runs = 0;
  let failed = false;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    if (!failed && runs >= leastRuns && Date.now() > until) return;
    runs += 1;
    try {
      await check(value);
    } catch (error) {
      failed = true;
      throw error;
    }
  });
  await fc.assert(property, { seed: fuzzSeed, numRuns: casesOf(mostRuns) });
}

/** Long enough for a busy machine; an answer that takes longer counts as hanging. */
export const deadlineMs = 8_000;

/** Prints the seed, and fails the file when anything escapes that would have ended the process. */
export function watchProcess(): void {
  const escaped: unknown[] = [];
  const keep = (error: unknown): void => void escaped.push(error);
  beforeAll(() => {
    process.stderr.write(`fuzzing with FUZZ_SEED=${fuzzSeed}\n`);
    process.on("uncaughtException", keep).on("unhandledRejection", keep);
  });
  afterAll(() => {
    process.off("uncaughtException", keep).off("unhandledRejection", keep);
    expect(escaped).toEqual([]);
  });
}

/**
 * An answer in time that is none of the emulator's own failures, and JSON where there is a body. Returns what
 * it says.
 */
export function expectSane(answer: RawEnd, isHead = false): unknown {
  expect(answer.end, answer.text.slice(0, 300)).toBe("answered");
  expect(answer.status, answer.text.slice(-300)).toBeLessThan(500);
  expect(answer.status).toBeGreaterThanOrEqual(200);
  if (isHead) return undefined;
  if (answer.body === "") {
    expect(answer.status, "an answer without a body").toBe(204);
    return undefined;
  }
  const said = JSON.parse(answer.body) as unknown;
  if (answer.status >= 400) expectError(said);
  return said;
}

/** `{error}`, or `{code, message}` of the statistics API. */
function expectError(said: unknown): void {
  const { error, message } = said as { error?: unknown; message?: unknown };
  expect(typeof (error ?? message)).toBe("string");
}

/** Any code points, lone surrogates among them. fast-check's own `binary` unit takes seconds to build. */
export const anyText = (maxLength = 10): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        fc.integer({ min: 0, max: 0x7f }),
        fc.integer({ min: 0, max: 0xffff }),
        fc.integer({ min: 0x1_0000, max: 0x10_ffff }),
      ),
      { maxLength },
    )
    .map((points) => String.fromCodePoint(...points));

/** Bytes that may stand in a request line: no blank, no control character, no `#`. */
const wireCharacter = fc.integer({ min: 0x21, max: 0xff }).filter((code) => code !== 0x23 && code !== 0x7f);

/** Any text a request target can carry as it is, and percent escapes that are odd, cut short or not UTF-8. */
export const oddText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      wireCharacter.map((code) => String.fromCharCode(code)),
      fc.constantFrom(
        "%00",
        "%FF",
        "%C0%80",
        "%ED%A0%80",
        "%F0%9F",
        "%",
        "%z",
        "%2",
        "%25",
        "+",
        "%20",
        "%0a",
      ),
      fc.constantFrom("%2C", "%26", "%3D", "%2F", "%2E%2E", "%u0041", "[]", "[0]", "__proto__", "..", ";"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

/** A value of a request header: anything without a line break or NUL. */
export const headerValue: fc.Arbitrary<string> = fc
  .array(
    fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

export const bodies = [
  deep("[", "]", 20_000),
  deep('{"a":', "}", 10_000),
  `[${"1,".repeat(20_000)}1]`,
  `[${"{},".repeat(20_000)}{}]`,
  "\uFEFF[]",
  "[] []",
  "null",
  '"\\ud800"',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  '[{"__proto__":{"destination":"http://127.0.0.1:1/"}}]',
  "1e999",
  `"${"x".repeat(200_000)}"`,
].map((text) => Buffer.from(text));

/** Bodies that no client would send. */
export const oddBody: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.json({ maxDepth: 5 }).map((text) => Buffer.from(text)),
  fc.json().map((text) => Buffer.from(text.slice(0, -1))),
  fc.constantFrom(...bodies),
);
