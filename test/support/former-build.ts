/** Builds of former commits of this repository, by this checkout's own compiler and packages. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { root } from "./markdown.ts";

const cache = path.join(root, ".cache/former-builds");

/** False, and a line on stderr, in a copy without that commit, such as a shallow clone. */
export function hasCommit(commit: string): boolean {
  const isHere = spawnSync("git", ["-C", root, "cat-file", "-e", `${commit}^{commit}`]).status === 0;
  if (!isHere) {
    process.stderr.write(
      `\nNOT TESTED: an upgrade between two builds, because git has no commit ${commit} here (a shallow clone?).\n\n`,
    );
  }
  return isHere;
}

/** Path of its main.js. A build is kept, and used again. */
export function buildFormer(commit: string): string {
  const folder = path.join(cache, commit);
  const program = path.join(folder, "dist/main.js");
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const half = mkdtempSync(path.join(cache, "half-"));
  try {
    run("git", ["-C", root, "archive", "--output", path.join(half, "src.tar"), commit, ...parts]);
    run("tar", ["-xf", path.join(half, "src.tar"), "-C", half]);
    symlinkSync(path.join(root, "node_modules"), path.join(half, "node_modules"));
    run(path.join(root, "node_modules/.bin/tsc"), [
      "--noCheck",
      "-p",
      path.join(half, "tsconfig.build.json"),
    ]);
    // Whole or not at all: another run may look meanwhile.
    if (!existsSync(folder)) renameSync(half, folder);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  return program;
}

const parts = ["package.json", "tsconfig.json", "tsconfig.build.json", "src"];

function run(command: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${error ?? ""}${stdout}${stderr}`);
}
