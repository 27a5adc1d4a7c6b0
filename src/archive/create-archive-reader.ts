import path from "node:path";
import type { ArchiveFilter, ArchiveEntry, ArchiveReader } from "../ports/archive.ts";
import { systemDisk, type ListedFile } from "./disk.ts";
import { readArchiveFile } from "./read-file.ts";
import { toArchiveError } from "./translate-error.ts";

/**
 * Reads the archive in a directory, written by any process: every regular file that ends in `.ndjson.gz`,
 * by name, entries by position. Holds one gzip member at a time. Fails with `archive-unavailable` if the
 * directory cannot be listed.
 */
export function createArchiveReader(dir: string): ArchiveReader {
  const list = async (): Promise<readonly ListedFile[]> => {
    try {
      return (await systemDisk.list(dir)).filter(({ name }) => name.endsWith(".ndjson.gz"));
    } catch (error) {
      throw toArchiveError(error, dir, "read");
    }
  };
  return {
    files: async () => (await list()).map(({ name, bytes, changedAt }) => ({ file: name, bytes, changedAt })),
    async *entries(filter, onDamage) {
      const fits = toPredicate(filter);
      for (const { name: file } of await list()) {
        const report = (damage: { readonly kind: "torn" | "broken"; readonly why: string }): void =>
          onDamage({ file, ...damage });
        for await (const entry of readArchiveFile(path.join(dir, file), report)) {
          if (fits(entry)) yield { ...entry, file };
        }
      }
    },
  };
}

function toPredicate({
  source,
  drain,
  dlqIds,
  since,
  until,
}: ArchiveFilter): (entry: ArchiveEntry) => boolean {
  const wanted = dlqIds === undefined ? null : new Set(dlqIds);
  return (entry) =>
    (source === undefined || entry.source === source) &&
    (drain === undefined || entry.drain === drain) &&
    (wanted === null || wanted.has(entry.dlqId)) &&
    (since === undefined || entry.at >= since) &&
    (until === undefined || entry.at <= until);
}
