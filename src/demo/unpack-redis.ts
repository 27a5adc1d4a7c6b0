import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A program and the environment it needs. */
export interface RedisProgram {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Libraries of these are on every machine that can run apt. */
const onEveryMachine = new Set(["libc6", "libssl3", "libssl3t64", "libsystemd0"]);

/**
 * Downloads Debian's redis-server with the libraries it names and unpacks them into `dir`, without installing
 * anything: a package's own installation would start a system service. Needs apt-get, dpkg and package lists,
 * not root. Resolves to null where that is not to be had; `say` is told why.
 */
export async function unpackRedis(
  dir: string,
  hasApt: boolean,
  say: (line: string) => void,
): Promise<RedisProgram | null> {
  const root = path.join(dir, "root");
  const known = await programIn(root);
  if (known !== null) return known;
  if (!hasApt) return null;
  await mkdir(dir, { recursive: true });
  // Two searches at once unpack side by side; whoever is second finds the first one's result.
  const work = await mkdtemp(path.join(dir, "part-"));
  const debs = path.join(work, "debs");
  const unpacked = path.join(work, "root");
  try {
    await mkdir(debs);
    await mkdir(unpacked);
    await refreshListsIfMissing(say);
    say(`downloading Debian's redis-server into ${dir}`);
    await run("apt-get", ["download", "redis-server", "redis-tools"], { cwd: debs });
    for (const library of await libraries()) {
      await run("apt-get", ["download", library], { cwd: debs }).catch(() =>
        say(`apt-get has no ${library}; going on without it`),
      );
    }
    for (const deb of (await readdir(debs)).filter((name) => name.endsWith(".deb"))) {
      await run("dpkg", ["-x", path.join(debs, deb), unpacked]);
    }
    await rename(unpacked, root);
  } catch (error) {
    const other = await programIn(root);
    if (other === null) say(`could not download or unpack redis-server: ${firstLine(error)}`);
    return other;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return programIn(root);
}

async function refreshListsIfMissing(say: (line: string) => void): Promise<void> {
  const { stdout } = await run("apt-cache", ["policy", "redis-server"]).catch(() => ({ stdout: "" }));
  if (/Candidate: (?!\(none\))/.test(stdout)) return;
  if (process.getuid?.() !== 0)
    throw new Error("apt has no package lists and only root may run apt-get update");
  say("apt has no package lists; running apt-get update");
  await run("apt-get", ["update"]);
}

async function libraries(): Promise<readonly string[]> {
  const { stdout } = await run("apt-cache", ["depends", "--important", "redis-server", "redis-tools"]);
  const names = [...stdout.matchAll(/Depends: (\S+)/g)].map((match) => match[1] ?? "");
  return [...new Set(names)].filter((name) => /^(lib|lua)/.test(name) && !onEveryMachine.has(name));
}

async function programIn(root: string): Promise<RedisProgram | null> {
  const command = path.join(root, "usr/bin/redis-server");
  const libraryDirs = [path.join(root, "usr/lib"), path.join(root, "lib")];
  try {
    await access(command);
    for (const dir of libraryDirs.slice()) {
      const inside = await readdir(dir).catch(() => []);
      libraryDirs.push(
        ...inside.filter((name) => name.endsWith("-linux-gnu")).map((name) => path.join(dir, name)),
      );
    }
    const program = { command, env: { LD_LIBRARY_PATH: libraryDirs.join(":") } };
    await run(command, ["--version"], { env: program.env });
    return program;
  } catch {
    return null;
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
