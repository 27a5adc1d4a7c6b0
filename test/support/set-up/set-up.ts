/** Once for all workers, before the first of them: what tests need of this machine, so that each finds it there. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { readVolume } from "../../../src/job/archive/judge-volume.ts";
import { findRedisProgram } from "../../../dev/demo/find-or-start-redis.ts";
import { findOnPath } from "../../../dev/demo/programs.ts";
import { root } from "../markdown.ts";
import { forgetMissed, whatWasMissed } from "../tools.ts";

const cache = path.join(root, ".cache");
/** Programs that this machine has none of. Last on the PATH, so that its own come first. */
const bin = path.join(cache, "bin");

/** Each project of vitest calls it. Answers what is to be called when all tests have run. */
export default async function setUp(): Promise<(() => void) | undefined> {
  const PATH = process.env["PATH"] ?? "";
  if (PATH.endsWith(`:${bin}`)) return undefined;
  mkdirSync(bin, { recursive: true });
  forgetMissed();
  process.env["TMPDIR"] = await findFolder([os.tmpdir(), path.join(cache, "tmp"), "/var/tmp"]);

  const redis = await findRedisProgram({ env: { PATH }, cacheDir: path.join(cache, "redis"), say });
  if (path.basename(redis.command) !== "redis-server" || Object.keys(redis.env).length > 0) {
    const variables = Object.entries(redis.env).map(([name, value]) => quote(`${name}=${value}`));
    place("redis-server", `exec env ${variables.join(" ")} ${quote(redis.command)} "$@"`);
  }
  if ((await findOnPath(["curl"], { PATH })) === null) {
    place(
      "curl",
      `exec ${quote(process.execPath)} ${quote(path.join(import.meta.dirname, "curl.mjs"))} "$@"`,
    );
  }
  process.env["PATH"] = `${PATH}:${bin}`;
  return () => {
    for (const line of whatWasMissed()) say(line);
  };
}

/** The first that is not in memory: the archive refuses such a folder. */
async function findFolder(candidates: readonly string[]): Promise<string> {
  for (const folder of candidates) {
    if ((await readVolume(folder)).kind === "memory") continue;
    mkdirSync(folder, { recursive: true });
    return folder;
  }
  throw new Error(
    `no folder on a disk: ${candidates.join(", ")} are in memory; set TMPDIR to one that is not`,
  );
}

/** Whole or not at all: another run may call it meanwhile. */
function place(name: string, line: string): void {
  const half = path.join(bin, `.${name}-${process.pid}`);
  writeFileSync(half, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  renameSync(half, path.join(bin, name));
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
