import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { toPageSteps, withRun } from "./incident/page-steps.ts";
import { runSteps } from "./incident/run-steps.ts";

/** From the root of the repository: runs docs/incident.md, and writes what was printed into it. */
const page = "docs/incident.md";
const text = readFileSync(page, "utf8");
const folder = mkdtempSync(path.join(os.tmpdir(), "redriver-incident-"));
try {
  for (const name of ["dist", "node_modules", "package.json"])
    symlinkSync(path.resolve(name), path.join(folder, name));
  const env = { PATH: process.env["PATH"], HOME: folder };
  const runs = await runSteps(toPageSteps(text), { cwd: folder, env, demoFlags: "" });
  const failed = runs.filter(({ exitCode }) => exitCode !== 0);
  for (const { typed, output } of failed) process.stderr.write(`failed: ${typed.join("; ")}\n${output}\n`);
  if (failed.length > 0) process.exitCode = 1;
  else writeFileSync(page, withRun(text, runs));
} finally {
  rmSync(folder, { recursive: true });
}
