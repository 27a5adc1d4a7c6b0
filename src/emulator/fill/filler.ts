import type { Choice } from "./random-choice.ts";

const words = (
  "order invoice customer refund shipment retry tenant payload account region basket price item stock " +
  "delivery address voucher export import ledger balance session device report"
).split(" ");

const poolLength = 65_536;

/** Text and bytes to fill records up with, cut from one pool each: making them anew would take longer than the rest. */
export class Filler {
  readonly #choice: Choice;
  readonly #words: string;
  readonly #base64: string;

  constructor(choice: Choice) {
    this.#choice = choice;
    let text = "";
    while (text.length < poolLength) text += `${choice.of(words)} `;
    this.#words = text.slice(0, poolLength);
    const bytes = Buffer.from(Array.from({ length: (poolLength / 4) * 3 }, () => choice.below(256)));
    this.#base64 = bytes.toString("base64");
  }

  /** Exactly so many characters of ASCII that JSON does not escape. */
  text(length: number): string {
    return cut(this.#words, this.#choice.below(poolLength), length);
  }

  /** At most so many characters of base64; the bytes begin as a JPEG does, which is not UTF-8. */
  base64(length: number): string {
    const groups = Math.max(1, Math.floor(length / 4));
    return `/9j/${cut(this.#base64, this.#choice.below(poolLength / 4) * 4, (groups - 1) * 4)}`;
  }
}

function cut(pool: string, from: number, length: number): string {
  let text = pool.slice(from, from + length);
  while (text.length < length) text += pool.slice(0, length - text.length);
  return text;
}
