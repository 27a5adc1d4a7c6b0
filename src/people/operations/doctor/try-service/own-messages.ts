/** The messages of a trial. Each is known by its address and its label, so that any later run deletes it. */
import type { BatchItem, DeadLetter, RawRecord } from "../../../../job/message/dead-letter.ts";
import { parseRecord } from "../../../../job/message/parse-record.ts";

/** Their label, their flow control key, and the parameter of their address. */
export const mark = "redriver-try";
/** No name below it exists (RFC 6761), so a delivery fails at once. */
export const nowhere = "https://redriver-try.invalid/";
/** The last two go in one call that is refused. */
export const names = ["text", "plain", "flow", "delayed", "fit", "unfit"];
/** 20 KB as JSON. */
const longText = 'märz, "\u{1F600}"\n'.repeat(1_200);
/** Headers that only one has, without the prefix. */
const special: Readonly<Record<string, object>> = {
  flow: { "Flow-Control-Key": mark, "Flow-Control-Value": "parallelism=2, rate=100, period=60s" },
  // Longer than the rounding of any date.
  delayed: { Delay: "2s" },
};

/** `to` has no fragment. `run` tells this run's messages from those of a killed one. Their addresses are the same. */
export function toItem(name: string, to: string, headerPrefix: string, run: string): BatchItem {
  const own = Object.entries({
    Retries: "0",
    Label: `${mark},${mark}-${name}`,
    "Deduplication-Id": `redriver_t-${run}-${name}`,
    "Forward-X-Redriver-Try": `${run}, ${"0123456789".repeat(100)}`,
    ...special[name],
  });
  const prefixed = own.map(([header, value]) => [`${headerPrefix}${header}`, value]);
  return {
    destination: `${to}${to.includes("?") ? "&" : "?"}${mark}=${name}`,
    headers: { "Content-Type": "application/json", ...Object.fromEntries(prefixed) },
    body: JSON.stringify({ run, text: name === "text" ? longText : "short" }),
  };
}

/** By its address. Empty: no trial made it, neither this one nor another, so it is never deleted. */
export const nameOf = ({ url }: { readonly url?: unknown }): string =>
  /[?&]redriver-try=(\w+)$/.exec(String(url))?.[1] ?? "";

export const lettersOf = (run: string, records: readonly RawRecord[]): readonly DeadLetter[] =>
  records.map(parseRecord).flatMap((parsed) => {
    const isOfRun = parsed.kind === "letter" && parsed.letter.body.includes(run);
    return isOfRun ? [parsed.letter] : [];
  });
