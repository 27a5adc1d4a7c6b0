/** The messages of a trial. Each is known by its address and its label, so that any later run deletes it. */
import type { BatchItem, DeadLetter, DlqId, RawRecord } from "../../../../job/message/dead-letter.ts";
import { parseRecord } from "../../../../job/message/parse-record.ts";

/** Their label, their flow control key, and the parameter of their address. */
export const mark = "redriver-try";
export const secondLabel = `${mark}-second`;
/** No name below it exists (RFC 6761), so a delivery fails at once. */
export const nowhere = "https://redriver-try.invalid/";
/** Of twelve: the delayed one, and the one for a queue. Two more go in a call that is refused; one of them is fit. */
export const [steered, delayed, queued, fit, unfit] = [4, 8, 9, 12, 13];
const longText = "0123456789".repeat(2_000);
const texts: Readonly<Record<number, string>> = { 1: 'märz, "quoted", \u{1F600}\n', 5: longText };
/** Headers of one of them, without the prefix. */
const special: Readonly<Record<number, BatchItem["headers"]>> = {
  2: { "Forward-X-List": "a, b", "Forward-X-Long": longText.slice(0, 1_000) },
  3: { Label: `${mark},${secondLabel}` },
  [steered]: { "Flow-Control-Key": mark, "Flow-Control-Value": "parallelism=2, rate=100, period=60s" },
  // Longer than the rounding of any date.
  [delayed]: { Delay: "2s" },
};

export type OwnLetter = DeadLetter & { readonly number: number };
/** `to` has no fragment. `run` tells this run's messages from those of a killed one. */
export type Aim = Readonly<Record<"to" | "headerPrefix" | "run", string> & { queue: string | undefined }>;

/** The same in each run, so that those of a killed run are found. */
export const addressesOf = (to: string): readonly string[] =>
  Array.from({ length: unfit + 1 }, (_, number) => `${to}${to.includes("?") ? "&" : "?"}${mark}=${number}`);

export const numberIn = (url: unknown) => /[?&]redriver-try=(\d\d?)(?:&|$)/.exec(String(url))?.[1];

/** Those that a trial made, this one or another. Nothing else is ever deleted. */
export const idsIn = (records: readonly RawRecord[]): readonly DlqId[] =>
  records.filter(({ url }) => numberIn(url) !== undefined).map(({ dlqId }) => dlqId as DlqId);

/** Those of this run. */
export const readAll = (records: readonly RawRecord[], { run }: Aim): readonly OwnLetter[] =>
  records.flatMap((raw) => {
    const [parsed, number] = [parseRecord(raw), numberIn(raw["url"])];
    const isOf = parsed.kind === "letter" && parsed.letter.body.startsWith(`{"run":"${run}.${number}"`);
    return isOf ? [{ ...parsed.letter, number: Number(number) }] : [];
  });

export function toOwnItem({ to, queue, headerPrefix, run }: Aim, number: number): BatchItem {
  const own = {
    Method: "POST",
    Retries: "0",
    Label: mark,
    "Deduplication-Id": `redriver_t-${run}-${number}`,
    "Forward-X-Redriver-Try": run,
    ...special[number],
  };
  const prefixed = Object.entries(own).map(([name, value]) => [`${headerPrefix}${name}`, value]);
  return {
    destination: addressesOf(to)[number]!,
    ...(queue !== undefined && number === queued ? { queue } : {}),
    headers: { "Content-Type": "application/json", ...Object.fromEntries(prefixed) },
    body: JSON.stringify({ run: `${run}.${number}`, text: texts[number] ?? "plain" }),
  };
}
