import { defineConfig } from "vitest/config";

const endToEnd = "test/e2e/**/*.test.ts";
const patience = { testTimeout: 30_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    // The longest files wait for clocks (takeovers, horizons, outages), so seven share two cores well.
    maxWorkers: 7,
    reporters: ["default", ["json", { outputFile: ".cache/test-results.json" }]],
    projects: [
      { test: { name: "e2e", include: [endToEnd], ...patience } },
      // A process of its own for each of some 250 files would cost as much as what they do.
      {
        test: {
          name: "parts",
          include: ["test/**/*.test.ts"],
          exclude: [endToEnd],
          isolate: false,
          ...patience,
        },
      },
    ],
  },
});
