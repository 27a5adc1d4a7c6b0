import { parseUrl } from "../../message/parse-url.ts";
import type { BatchItem } from "../../message/dead-letter.ts";

/** What rates per host are counted by: the destination's host with its port, or `queue:<name>`. */
export function targetOf({ queue, destination }: BatchItem): string {
  return queue === undefined ? hostOf(destination) : `queue:${queue}`;
}

/** Host with port where it is not the usual one, in lower case; `(no host)` for what is no URL. */
export function hostOf(url: string): string {
  return parseUrl(url)?.host || "(no host)";
}
