import { defineConfig } from "vitest/config";

const endToEnd = "test/e2e/**/*.test.ts";

export default defineConfig({
  test: {
    // The longest files wait for clocks (takeovers, horizons, outages), so seven share two cores well.
    maxWorkers: 7,
    // A process of its own for each of some 300 files would cost as much as what they do.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ["default", ["json", { outputFile: ".cache/test-results.json" }]],
    projects: [
      { extends: true, test: { name: "e2e", include: [endToEnd] } },
      { extends: true, test: { name: "parts", include: ["test/**/*.test.ts"], exclude: [endToEnd] } },
    ],
  },
});
