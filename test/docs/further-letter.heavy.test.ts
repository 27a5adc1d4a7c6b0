import { expect, it } from "vitest";
import { calledByDaemon, type Called } from "../support/called-by-daemon.ts";
import { readDoc } from "../support/markdown.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis();
/** Of full pages: the emulator lists a hundred at most. */
const [few, many] = [200, 1_200];
/** A page whose letters go in two batches, or wait, calls some functions for nine letters of ten. */
const ofEachLetter = 0.9;

const toKey = ({ file, name, at }: Called): string => `${file} ${name} ${at}`;

/** What `job` calls once more, or oftener, for each further letter: the most called first. */
async function calledForFurther(program?: string) {
  const before = new Map<string, number>();
  for (const called of await calledByDaemon(redis.url(), few, program))
    before.set(toKey(called), called.calls);
  const after = await calledByDaemon(redis.url(), many, program);
  const called = after
    .map((called) => ({
      file: called.file,
      name: called.name === "" ? `(closure at ${called.at})` : called.name,
      calls: (called.calls - (before.get(toKey(called)) ?? 0)) / (many - few),
    }))
    .filter(({ file, calls }) => /^job\/(?!compose\/)/.test(file) && calls >= ofEachLetter)
    .toSorted((one, other) => other.calls - one.calls);
  return { called, calls: called.reduce((sum, one) => sum + one.calls, 0) };
}

it("a further letter costs as many calls in as many files as ARCHITECTURE.md says", async () => {
  const [, saidCalls, saidFiles] =
    /\*\*(\d+) calls\*\* of functions in \*\*(\d+) files\*\*/.exec(readDoc("ARCHITECTURE.md")) ?? [];
  let { called, calls } = await calledForFurther(process.env["FURTHER_LETTER_PROGRAM"]);
  // On a busy machine batches wait. What has waited half a second is asked for once more, and counts once more.
  for (let tries = 1; tries < 3 && calls > 1.05 * Number(saidCalls); tries += 1) {
    ({ called, calls } = await calledForFurther(process.env["FURTHER_LETTER_PROGRAM"]));
  }
  const files = new Set(called.map(({ file }) => file)).size;
  const most = called
    .slice(0, 40)
    .map((one) => `${one.calls.toFixed(2).padStart(6)} ${one.file} ${one.name}`);
  process.stdout.write(`${calls.toFixed(1)} calls in ${files} files; the most called:\n${most.join("\n")}\n`);
  expect(calls).toBeGreaterThan(100);
  // A busy machine asks gates again, and costs a few calls more.
  expect(1.1 * Number(saidCalls)).toBeGreaterThanOrEqual(calls);
  expect(Number(saidCalls)).toBeLessThanOrEqual(1.1 * calls);
  expect(Number(saidFiles) + 7).toBeGreaterThanOrEqual(files);
  expect(Number(saidFiles)).toBeLessThanOrEqual(1.1 * files);
});
