/** Looks from inside at what a container may do. Its text is run there by Node, so it refers to nothing outside of itself. */
export interface Seen {
  readonly user: string;
  /** Lines of /proc/self/status. */
  readonly status: Readonly<Record<string, string>>;
  /** By path: `written`, or the error's code. */
  readonly writes: Readonly<Record<string, string>>;
  /** By path: `read`, or the error's code. */
  readonly reads: Readonly<Record<string, string>>;
}

function probe(): void {
  const fs = process.getBuiltinModule("node:fs");
  const { writes, reads } = JSON.parse(process.argv[1]!) as {
    readonly writes: readonly string[];
    readonly reads: readonly string[];
  };
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- nothing outside of this function is there
  const attempt = (act: () => void, good: string): string => {
    try {
      act();
      return good;
    } catch (error) {
      return String((error as { readonly code?: string }).code);
    }
  };
  const lines = fs
    .readFileSync("/proc/self/status", "utf8")
    .split("\n")
    .map((line) => line.split(/:\s*/, 2) as [string, string]);
  const seen: Seen = {
    user: `${process.getuid?.()}:${process.getgid?.()} ${process.getgroups?.().join()}`,
    status: Object.fromEntries(lines),
    writes: Object.fromEntries(
      writes.map((path) => [path, attempt(() => fs.writeFileSync(path, "x"), "written")]),
    ),
    reads: Object.fromEntries(reads.map((path) => [path, attempt(() => void fs.readFileSync(path), "read")])),
  };
  process.stdout.write(JSON.stringify(seen));
}

/** Takes more memory than `argv[1]` bytes, outside of Node's heap. */
function hog(): void {
  const kept: Buffer[] = [];
  for (let bytes = 0; bytes < Number(process.argv[1]); bytes += 16_777_216)
    kept.push(Buffer.alloc(16_777_216, 1));
  process.stdout.write(`took ${kept.length * 16} MiB`);
}

export const probeCommand = (paths: {
  readonly writes: readonly string[];
  readonly reads: readonly string[];
}): readonly string[] => ["node", "-e", `(${probe.toString()})()`, JSON.stringify(paths)];

export const hogCommand = (bytes: number): readonly string[] => [
  "node",
  "-e",
  `(${hog.toString()})()`,
  String(bytes),
];
