/** The messages of a trial. Each is known by its address and its label, so that any later run deletes it. */
import type { BatchItem, DeadLetter, RawRecord } from "../../../../job/message/dead-letter.ts";
import { parseUrl } from "../../../../job/message/destination-url.ts";
import { itemNamesOf } from "../../../../job/message/headers.ts";

/** Their label, their flow control key, and the parameter of their address. */
export const mark = "redriver-try";
export const secondLabel = `${mark}-second`;
/** No name below it exists (RFC 6761), so a delivery fails at once. */
export const nowhere = "https://redriver-try.invalid/";
/** Of twelve: the delayed one, and the one for a queue. Two more go in a call that is refused; one of them is fit. */
export const [steered, delayed, queued, fit, unfit] = [4, 8, 9, 12, 13];
const longText = "0123456789".repeat(2_000);

/** `run` tells this run's messages from those of a killed one. */
export type Aim = Readonly<Record<"to" | "headerPrefix" | "run", string>> & { readonly queue?: string };

/** The same in each run, so that those of a killed run are found. */
export const addressesOf = (to: string): readonly string[] =>
  Array.from({ length: unfit + 1 }, (_, number) => {
    const url = new URL(to);
    url.searchParams.set(mark, String(number));
    return url.href;
  });

const numberIn = (url: unknown): string => parseUrl(String(url))?.searchParams.get(mark) ?? "";

/** Whether a trial made it, this one or another. Nothing else is ever deleted. */
export const isOurs = ({ url }: RawRecord): boolean => /^\d{1,2}$/.test(numberIn(url));

/** Null: it is of another run. */
export const numberOf = ({ body, url }: Pick<DeadLetter, "body" | "url">, { run }: Aim): number | null =>
  body.startsWith(`{"run":"${run}.${numberIn(url)}"`) ? Number(numberIn(url)) : null;

export function toOwnItem({ to, queue, headerPrefix: prefix, run }: Aim, number: number): BatchItem {
  const names = itemNamesOf(prefix);
  const special: Readonly<Record<number, BatchItem["headers"]>> = {
    2: { [`${prefix}Forward-X-List`]: "a, b", [`${prefix}Forward-X-Long`]: longText.slice(0, 1_000) },
    3: { [names.label]: `${mark},${secondLabel}` },
    [steered]: {
      [names.flowControlKey]: mark,
      [names.flowControlValue]: "parallelism=2, rate=100, period=60s",
    },
    // Longer than the rounding of any date.
    [delayed]: { [names.delay]: "2s" },
  };
  const texts: Readonly<Record<number, string>> = { 1: 'märz, "quoted", \u{1F600}\n', 5: longText };
  return {
    destination: addressesOf(to)[number]!,
    ...(queue !== undefined && number === queued ? { queue } : {}),
    headers: {
      "Content-Type": "application/json",
      [names.method]: "POST",
      [names.retries]: "0",
      [names.label]: mark,
      [names.deduplicationId]: `redriver_t-${run}-${number}`,
      [`${prefix}Forward-X-Redriver-Try`]: run,
      ...special[number],
    },
    body: JSON.stringify({ run: `${run}.${number}`, text: texts[number] ?? "plain" }),
  };
}
