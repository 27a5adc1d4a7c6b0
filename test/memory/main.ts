/**
 * What memory is held to (docs/internals/memory.md): the built daemon in a memory group of the shipped limit, with the
 * shipped NODE_OPTIONS, and `plan --all` beside it; Redis, the emulator and the receiver outside of it. It is
 * judged by the kernel and by the receiver.
 *
 *     npm run memory                                        every size with both documents, 20 minutes
 *     npm run memory -- 200KB 10MB                          some sizes
 *     npm run memory -- --ci                                those that say most, within a minute
 *     npm run memory -- --text wide                         with one character beyond Latin-1 in each body
 *         [--results file]
 *
 * Exits 1 if something did not hold, 2 if it was used wrongly. What the processes said is kept in
 * .cache/memory-runs.
 */
import { resolve } from "node:path";
import { startGuard } from "../rig/guard.ts";
import { chooseOrEnd, end, endWrongUse, makeEmpty, parseOrEnd, root, writeResults } from "../rig/program.ts";
import { documents, sizeNames, toLetters, type Case, type DocumentName, type SizeName } from "./cases.ts";
import type { Text } from "./letters.ts";
import { shipped } from "./manifest.ts";
import { runCase, type CaseResult } from "./run-case.ts";
import { faultsOf, toTable } from "./table.ts";

const { values, positionals } = parseOrEnd({
  allowPositionals: true,
  options: {
    ci: { type: "boolean", default: false },
    text: { type: "string", default: "latin1" },
    results: { type: "string" },
  },
});
const chosen = chooseOrEnd(positionals, sizeNames);
if (values.text !== "latin1" && values.text !== "wide") endWrongUse("--text latin1 or wide");

const dir = resolve(root, ".cache/memory-runs");
makeEmpty(dir);
const guard = startGuard();

const results: CaseResult[] = [];
for (const one of toCases()) {
  const result = await runCase({ dir, guard }, one);
  results.push(result);
  process.stderr.write(`${toTable([result]).split("\n")[1]}\n`);
}
guard.close();

process.stdout.write(`limit ${shipped.limitBytes / 1_048_576} MiB, ${shipped.nodeOptions}\n`);
process.stdout.write(`${toTable(results)}\n`);
if (results.some(({ groupPeakBytes }) => groupPeakBytes === null)) {
  process.stdout.write(
    "\nSKIPPED: THE KERNEL'S LIMIT. This machine lets nobody make a memory cgroup (run it as root, with cgroups writable).\n" +
      "Nothing could be killed here; only the daemon's own peak was held to 85 % of the limit.\n\n",
  );
}
const failed = results.filter((result) => faultsOf(result).length > 0).length;
const passed = results.length - failed;
writeResults(values.results, { passed, failed });
end(`${passed} passed, ${failed} failed\n`, failed);

function toCases(): readonly Case[] {
  if (values.ci) {
    return [
      toCase("200KB", "production", "wide", 100),
      toCase("1MB", "unlimited", "latin1", 40),
      toCase("10MB", "unlimited", "wide", 6),
      // The largest that is read, with a plan beside it: the daemon and the plan both have one in memory.
      toCase("23MB", "production", "wide", 3),
      toCase("mixed", "production", "latin1", 150),
    ];
  }
  return chosen.flatMap((size) => documents.map((document) => toCase(size, document, values.text as Text)));
}

function toCase(size: SizeName, document: DocumentName, text: Text, most = Infinity): Case {
  return {
    name: `${size}, ${document}${text === "wide" ? ", wide" : ""}`,
    document,
    text,
    letters: toLetters(size).slice(0, most),
  };
}
