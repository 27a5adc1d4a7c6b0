import { join } from "node:path";

/** Where a file of the pages is: beside this one. */
export function ownFile(name: string): string {
  return join(import.meta.dirname, "browser", name);
}
