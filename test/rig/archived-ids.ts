import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";

/** What the archive holds: dlqIds by why they were kept. */
export interface ArchivedIds {
  readonly dropped: ReadonlySet<string>;
  readonly copied: ReadonlySet<string>;
}

/** Reads all files of the archive. The end of one may be missing, where its process was killed. */
export function readArchivedIds(dir: string): ArchivedIds {
  const dropped = new Set<string>();
  const copied = new Set<string>();
  for (const name of namesIn(dir)) {
    const text = gunzipSync(readFileSync(join(dir, name)), {
      finishFlush: constants.Z_SYNC_FLUSH,
    }).toString();
    for (const line of text.split("\n").slice(0, -1)) {
      const { dlqId, why } = JSON.parse(line) as { readonly dlqId: string; readonly why: string };
      (why === "dropped" ? dropped : copied).add(dlqId);
    }
  }
  return { dropped, copied };
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".gz"));
  } catch {
    // Made with its first file.
    return [];
  }
}
