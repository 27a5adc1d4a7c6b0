import { closeSync, constants, fstatSync, openSync, statSync, type Stats } from "node:fs";

/** The kind of what a path leads to, such as "a FIFO"; null for a regular file. Mounts of Kubernetes are symbolic links to one. */
export function kindOtherThanFile(path: string): string | null {
  return kindOf(statSync(path));
}

export type OpenedFile =
  | { readonly ok: true; readonly file: number }
  | { readonly ok: false; readonly kind: string };

/**
 * Opens a regular file for reading; throws the system's error if it cannot. A FIFO without a writer would block the whole process, a
 * device may act when it is opened, and a socket or a FIFO never ends.
 */
export function openRegularFile(path: string): OpenedFile {
  const before = kindOtherThanFile(path);
  if (before !== null) return { ok: false, kind: before };
  // Not blocking, for what was put in its place since.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const kind = kindOf(fstatSync(file));
  if (kind === null) return { ok: true, file };
  closeSync(file);
  return { ok: false, kind };
}

function kindOf(stats: Stats): string | null {
  if (stats.isFile()) return null;
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a FIFO";
  if (stats.isSocket()) return "a socket";
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return "a device";
  return "something else";
}
