import { readFileSync } from "node:fs";

export const { version } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
) as { readonly version: string };

/** What `--version` prints: also the commit it was built from, if the build knew it. */
export function versionText(): string {
  const revision = readRevision();
  const built = revision === "" ? "" : ` (${revision})`;
  return `redriver ${version}${built}, Node ${process.versions.node}, for Redis 6.2 or newer`;
}

/** The build writes it beside the program. In a checkout that is not built there is none. */
function readRevision(): string {
  try {
    return readFileSync(new URL("../../revision.txt", import.meta.url), "utf8").trim();
  } catch {
    return "";
  }
}
