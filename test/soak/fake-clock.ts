import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The wall clock of one process, moved while it runs. Its monotonic clock, which timers go by, is left alone.
 */
export interface FakeClock {
  readonly env: Readonly<Record<string, string>>;
  shift(offsetMs: number): void;
}

/** Null where Debian's package `faketime` is not installed. */
export function createFakeClock(dir: string): FakeClock | null {
  const library = findLibrary();
  if (library === null) return null;
  const file = join(dir, "clock");
  const shift = (offsetMs: number): void => {
    const seconds = Math.trunc(offsetMs / 1_000);
    // Replaced whole: the library reads it with every look at the clock.
    writeFileSync(`${file}.next`, `${seconds < 0 ? "" : "+"}${seconds}\n`);
    renameSync(`${file}.next`, file);
  };
  shift(0);
  return {
    shift,
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      NO_FAKE_STAT: "1",
    },
  };
}

function findLibrary(): string | null {
  const root = "/usr/lib";
  const paths = readdirSync(root).map((name) => join(root, name, "faketime/libfaketimeMT.so.1"));
  return paths.find((path) => existsSync(path)) ?? null;
}
