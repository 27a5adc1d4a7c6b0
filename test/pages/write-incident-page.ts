import { readFileSync, writeFileSync } from "node:fs";
import { openCheckout } from "./incident/checkout.ts";
import { toPageSteps, withRun } from "./incident/page-steps.ts";
import { runSteps } from "./incident/run-steps.ts";

/** From the root of the repository: runs docs/incident.md, and writes what was printed into it. */
const page = "docs/incident.md";
const text = readFileSync(page, "utf8");
using checkout = openCheckout(".");
const runs = await runSteps(toPageSteps(text), { ...checkout, demoFlags: "" });
const failed = runs.filter(({ exitCode }) => exitCode !== 0);
for (const { typed, output } of failed) process.stderr.write(`failed: ${typed.join("; ")}\n${output}\n`);
if (failed.length > 0) process.exitCode = 1;
else writeFileSync(page, withRun(text, runs));
