import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface RedisProgram {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs in an empty directory. Libraries that are installed are used as they are; another one that apt does not
 * have may be there already. If apt's own lists are missing or old, it gets lists of our own: that needs no root,
 * and meets nobody's lock.
 */
const download = `
  packages="redis-server redis-tools"
  get() {
    apt-get "$@" download $packages || return 1
    for library in $(apt-cache "$@" depends --important $packages | sed -nE "s/.*Depends: ((lib|lua)[^ ]*)$/\\1/p" | sort -u); do
      dpkg-query -W -f='\${db:Status-Abbrev}' "$library" 2>/dev/null | grep -q ^ii || apt-get "$@" download "$library" ||
        echo "apt-get has no $library; going on without it"
    done
  }
  if ! get 2>/dev/null; then
    mkdir -p state/lists/partial cache/archives/partial
    set -- -o "Dir::State=$PWD/state" -o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=root
    set -- "$@" -o Acquire::Languages=none -o Acquire::http::Timeout=20
    apt-get "$@" update
    get "$@" || exit 1
  fi
  for deb in *.deb; do dpkg-deb -x "$deb" root || exit 1; done`;

/**
 * Downloads Debian's redis-server with the libraries it names and unpacks them into `dir`, without installing
 * anything: a package's own installation would start a system service. Needs apt-get and dpkg, not root. Resolves
 * to null if that fails; `say` gets the reason.
 */
export async function unpackRedis(
  dir: string,
  hasApt: boolean,
  say: (line: string) => void,
): Promise<RedisProgram | null> {
  const root = path.join(dir, "root");
  const known = await programIn(root);
  if (known !== null || !hasApt) return known;
  await mkdir(dir, { recursive: true });
  // Two searches at once unpack side by side; whoever is second finds the first one's result.
  const work = await mkdtemp(path.join(dir, "part-"));
  try {
    say(`downloading Debian's redis-server into ${dir}`);
    await run("/bin/sh", ["-c", download], { cwd: work });
    await rename(path.join(work, "root"), root);
  } catch (error) {
    const { stderr = "", message } = error as Error & { readonly stderr?: string };
    const other = await programIn(root);
    const why = stderr.split("\n").findLast((line) => line.startsWith("E: ")) ?? message;
    if (other === null) say(`could not download or unpack redis-server: ${why}`);
    return other;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return programIn(root);
}

async function programIn(root: string): Promise<RedisProgram | null> {
  const command = path.join(root, "usr/bin/redis-server");
  const find =
    'for dir in "$0"/usr/lib "$0"/lib "$0"/usr/lib/*-linux-gnu "$0"/lib/*-linux-gnu; do printf "%s:" "$dir"; done';
  try {
    const { stdout } = await run("/bin/sh", ["-c", find, root]);
    const program = { command, env: { LD_LIBRARY_PATH: stdout.slice(0, -1) } };
    await run(command, ["--version"], { env: program.env });
    return program;
  } catch {
    return null;
  }
}
