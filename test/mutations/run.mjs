/**
 * Breaks each guarantee once, in a copy, and shows the test that fails: `node test/mutations/run.mjs [name part]`. A break that no
 * test notices, or one that does not fit the code any more, ends it with 1. The table is docs/internals/proof.md's.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mutations } from "./mutations.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const copied = [
  "src",
  "dev",
  "test",
  "config",
  "docs",
  "README.md",
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
];
const wanted = process.argv[2] ?? "";

const copy = mkdtempSync(join(tmpdir(), "redriver-mutations-"));
let survivors = 0;
try {
  for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  process.stdout.write("| break | the test that fails |\n|---|---|\n");
  for (const mutation of mutations.filter(({ name }) => name.includes(wanted))) {
    const failed = tryOut(mutation);
    if (failed === null) survivors += 1;
    process.stdout.write(`| ${mutation.name} | ${failed ?? "**nobody noticed**"} |\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = survivors === 0 ? 0 : 1;

/** The first test that fails under this break, or null. */
function tryOut({ name, file, find, replace, test }) {
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  if (text.split(find).length !== 2) throw new Error(`${name}: expected its text once in ${file}`);
  // Where vitest.config.ts has it written.
  const report = join(copy, ".cache", "test-results.json");
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  try {
    const args = ["vitest", "run", test, "--bail", "1"];
    const { status } = spawnSync("npx", args, { cwd: copy, stdio: "ignore" });
    if (status === 0) return null;
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    const failures = testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter((one) => one.status === "failed"),
    );
    const [first] = failures;
    if (first === undefined) throw new Error(`${name}: ${test} could not run`);
    return `\`${test}\`: ${first.fullName}`;
  } finally {
    writeFileSync(path, text);
    rmSync(report, { force: true });
  }
}
