/** What no two runs have in common, and what stands for it. In this order. */
const changing: readonly (readonly [RegExp, string])[] = [
  // Where a line is broken depends on the numbers in it.
  [/\n {4,}/g, " "],
  [/\d{13}-\d+/g, "<dlqId>"],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<plan>"],
  // A moment of tomorrow has its date.
  // An act that took a second has its end too.
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:–\d\d:\d\d:\d\d)?(?:Z| UTC)?/g, "<time>"],
  [/\d\d:\d\d(?::\d\d)? UTC/g, "<time>"],
  [/(localhost|127\.0\.0\.1):\d+/g, "$1:<port>"],
  [/address \S+,/g, "address <hash>,"],
  [/\b(?:[0-9a-f]{12}|[0-9a-f]{10})\b/g, "<id>"],
  [/\b(?:\d+(?:ms|[dhms]))+\b/g, "<duration>"],
  [/process \d+/g, "process <pid>"],
  [/\b\d+(?:\.\d+)? (s|MiB)\b/g, "<number> $1"],
  [/^( +last 24 h ).*$/gm, "$1<by hour>"],
  [/^( +last 7 days ).*$/gm, "$1<by day>"],
  // The pager may ring before they are counted.
  [/; \d+ dead letters wait/g, ""],
  [/ +/g, " "],
];

/** An output without what differs from run to run: the rest has to be the same. */
export function toStable(text: string): string {
  return changing.reduce((rest, [pattern, stand]) => rest.replaceAll(pattern, stand), text).trim();
}

/** Of an output that was printed while things moved: these parts without their numbers, in no order. */
export function toMovingParts(text: string, part: RegExp): readonly string[] {
  // A reason or a cause that is continued.
  const masked = toStable(text.replaceAll(/\n {4,}/g, " ")).replaceAll(/\d+(?:\.\d+)?/g, "<n>");
  return [...new Set(masked.match(part))].toSorted();
}

const failureId = /\b[0-9a-f]{10}\b/g;

/** Which kind of failure of this run stands where the page has one: the port is part of its id. */
export function pairFailures(shown: string, output: string): readonly (readonly [string, string])[] {
  const seen = output.match(failureId) ?? [];
  const named = shown.match(failureId) ?? [];
  return named.length === seen.length ? named.map((name, index) => [name, seen[index]!] as const) : [];
}
