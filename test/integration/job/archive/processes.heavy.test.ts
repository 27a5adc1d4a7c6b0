import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { archivedAt, dayMs, readArchive } from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";

const built = (file: string): string =>
  pathToFileURL(resolve(import.meta.dirname, "../../../../dist/job/archive", file)).href;

/**
 * What the programs below begin with: an archive whose clock stands still, so that all would give their files
 * the same names, an entry of random bytes, and a line of output that is out at once.
 */
const prelude = `
import { randomBytes } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import { createArchive } from ${JSON.stringify(built("archive-writer.js"))};
import { createArchiveReader } from ${JSON.stringify(built("archive-reader.js"))};
const [dir, name] = process.argv.slice(1);
const archive = createArchive({
  dir, keepMs: ${30 * dayMs}, owner: "pod", pid: 1, now: () => ${archivedAt}, otherNow: async () => null,
  report: (problem) => say(problem.message),
});
const say = (line) => writeSync(1, line + "\\n");
let count = 0;
const entry = (bytes) => ({
  at: Date.now(), source: "eu", drain: "orders", why: "dropped", rule: null, dlqId: name + "-" + (count += 1),
  record: { dlqId: name + "-" + count, body: randomBytes(bytes).toString("base64") },
});
`;

/** A program in a process of its own, through a shell line that ends in `exec "$@"`. */
function run(program: string, args: readonly string[], shell = 'exec "$@"') {
  const node = [process.execPath, "--input-type=module", "-e", prelude + program, ...args];
  const child = spawn("/bin/sh", ["-c", shell, "sh", ...node], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const said = text(child.stderr);
  const ended = once(child, "close").then(async ([code]) => ({
    code: code as number | null,
    err: await said,
  }));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { lines, ended, kill: () => child.kill("SIGKILL") };
}

const writeForEver = `
const loop = async (bytes) => {
  for (;;) {
    const one = entry(bytes);
    await archive.write([one]);
    say(one.dlqId);
  }
};
for (const bytes of [100, 2_000, 2_000, 2_000, 300_000, 600_000]) void loop(bytes);
`;

it("a process that is killed in the middle of its writes has kept everything that was said to be kept, and the next one goes on beside it", async () => {
  const { path: dir } = createFolder();
  const kept: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const child = run(writeForEver, [dir, `r${round}`]);
    await expect.poll(() => child.lines.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(11 * round);
    child.kill();
    await child.ended;
    kept.push(...child.lines);
  }
  const { ids, damages } = await readArchive(dir);
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.filter((id) => !ids.includes(id))).toEqual([]);
  expect(damages.filter(({ kind }) => kind !== "torn")).toEqual([]);
});

it("an archive larger than the heap is written and read", async () => {
  const { path: dir } = createFolder();
  const child = run(
    `
    const pages = 250;
    for (let n = 0; n < pages; n += 1) await archive.write(Array.from({ length: 100 }, () => entry(1_500)));
    await archive.close();
    let seen = 0;
    for await (const { record } of createArchiveReader(dir).entries({}, say)) seen += record.body.length;
    say(String(seen));
    // Of this program alone: the kernel's maxrss counts what was forked before exec, which is the size of
    // the test's own process.
    say(/^VmHWM:\\s+(\\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);`,
    [dir, "a"],
    // 25,000 entries of 2 KB are 50 MB.
    'export NODE_OPTIONS=--max-old-space-size=30 && exec "$@"',
  );
  expect(await child.ended).toEqual({ code: 0, err: "" });
  const [seen, peakKiB] = child.lines.map(Number);
  expect(seen).toBe(25_000 * 2_000);
  expect(peakKiB).toBeLessThan(180 * 1_024);
});
