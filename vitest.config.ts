import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Small files that take long, which would end after all others. Of them those first that wait for clocks: what runs beside
 * the first tests in .ci/run computes most. If no durations are known yet, the largest files go first.
 */
const longest = [
  "daemon/in-minutes.heavy",
  "notices/incident.heavy",
  "operations/report.heavy",
  "console/incident.heavy",
  "redis/outages.heavy",
  "redis/rights.heavy",
  "truth/truth.heavy",
  "daemon/bad-input.heavy",
  "daemon/killed.heavy",
  "daemon/first-count.heavy",
  "apply/killed.heavy",
  "plans/killed.heavy",
  "daemon/windows-in-turn.heavy",
  "redis/sentinel.heavy",
  "cli/try-service.heavy",
  "console/screens.heavy",
  "cli/parked/large.heavy",
  "property/job/odd-fields.heavy",
  "operations/plans/large.heavy",
  "cli/plan/large.heavy",
  "property/job/store/lanes/lanes",
  "property/job/store/ledger/ledger",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- no array's: what vitest does without this
    const others = await super.sort(files);
    return others.toSorted((one, other) => turnOf(one) - turnOf(other));
  }
}

function turnOf({ moduleId }: TestSpecification): number {
  const turn = longest.findIndex((name) => moduleId.endsWith(`${name}.test.ts`));
  return turn === -1 ? longest.length : turn;
}

export default defineConfig({
  test: {
    globalSetup: "test/support/set-up/set-up.ts",
    // Most files wait for Redis and clocks, so eight share two cores well: 85 s where five took 131. All of them together
    // compute more, and each process compiles what it loads for itself, so there six do.
    maxWorkers: process.env["TEST_ALL"] === undefined ? 8 : 6,
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
      { extends: true, test: { name: "e2e", include: ["{test,dev/test}/e2e/**/*.test.ts"] } },
      // Without an `exclude` of its own: it would replace the one of `npm test`.
      { extends: true, test: { name: "parts", include: ["{test,dev/test}/!(e2e)/**/*.test.ts"] } },
    ],
  },
});
