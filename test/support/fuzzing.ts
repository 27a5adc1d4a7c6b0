import { randomInt } from "node:crypto";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect } from "vitest";

/**
 * `FUZZ_SEED=<seed>` repeats a run. `FUZZ_TIMES=<factor>` is how much of each property's cases is tried: `npm
 * test` tries a tenth, `.ci/run` a quarter, `npm run test:all` all.
 */
export const fuzzSeed = Number(process.env["FUZZ_SEED"] ?? randomInt(2 ** 31));
if (process.env["FUZZ_SEED"] !== undefined)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: fuzzSeed });
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
