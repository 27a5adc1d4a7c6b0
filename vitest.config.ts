import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Small files that wait long. Where no durations are known yet the largest files go first, and these would end after all others. */
const longest = [
  "daemon/outage.heavy",
  "daemon/windows-in-turn.heavy",
  "redis/unfit.heavy",
  "redrive/callbacks/callbacks",
  "redrive/lanes/lanes.heavy",
  "redrive/source/bad-sources",
  "daemon/source-wakes",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- no array's: what vitest does without this
    const others = await super.sort(files);
    return others.toSorted((one, other) => Number(waitsLong(other)) - Number(waitsLong(one)));
  }
}

function waitsLong({ moduleId }: TestSpecification): boolean {
  return longest.some((name) => moduleId.endsWith(`${name}.test.ts`));
}

export default defineConfig({
  test: {
    // The longest files wait for clocks (takeovers, horizons, outages), so seven share two cores well.
    maxWorkers: 7,
    sequence: { sequencer: LongestFirst },
    // A process of its own for each of some 300 files would cost as much as what they do.
    isolate: false,
    // For a machine that others use too. What takes this long without them is looked at.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // vitest's second is shorter than a stall of two shared cores.
    expect: { poll: { timeout: 15_000 } },
    reporters: ["default", ["json", { outputFile: ".cache/test-results.json" }]],
    projects: [
      { extends: true, test: { name: "e2e", include: ["test/e2e/**/*.test.ts"] } },
      // Without an `exclude` of its own: it would replace the one of `npm test`.
      { extends: true, test: { name: "parts", include: ["test/!(e2e)/**/*.test.ts"] } },
    ],
  },
});
