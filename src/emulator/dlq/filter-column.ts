import { bitsFor, setBit, type Bits } from "./bits.ts";
import type { KeyedFilter } from "./filters.ts";

// 64 answers of 4,096 rows are 32 KB, four times the column itself.
const maxAnswers = 64;

/** One field of all rows, as codes of 16 bits: rows with equal values, in equal order, have one code. */
export class FilterColumn {
  readonly #rowCodes: Uint16Array;
  /** By code. 0 stands for no value. */
  readonly #values: (readonly string[])[] = [[]];
  readonly #singles = new Map<string, number>();
  /** By several values as JSON. */
  readonly #lists = new Map<string, number>();
  /** What was asked for last: each page of a listing asks for the same. */
  readonly #answers = new Map<string, Bits | undefined>();

  constructor(rows: number) {
    this.#rowCodes = new Uint16Array(rows);
  }

  put(row: number, values: readonly string[]): void {
    const [first] = values;
    if (first === undefined) this.#rowCodes[row] = 0;
    else if (values.length === 1) this.#rowCodes[row] = this.#codeOf(this.#singles, first, values);
    else this.#rowCodes[row] = this.#codeOf(this.#lists, JSON.stringify(values), values);
    if (this.#answers.size > 0) this.#answers.clear();
  }

  valuesOf(row: number): readonly string[] {
    return this.#values[this.#rowCodes[row]!]!;
  }

  /** Makes room for a row: those from there on are one further. */
  shift(row: number): void {
    this.#rowCodes.copyWithin(row + 1, row);
  }

  /** The rows, living or not, that match the filter; undefined if there are none. */
  rowsOf({ key, values }: KeyedFilter): Bits | undefined {
    const known = this.#answers.get(key);
    if (known !== undefined || this.#answers.has(key)) return known;
    if (this.#answers.size === maxAnswers) this.#answers.clear();
    const rows = this.#search(values);
    this.#answers.set(key, rows);
    return rows;
  }

  #codeOf(codes: Map<string, number>, key: string, values: readonly string[]): number {
    let code = codes.get(key);
    if (code === undefined) codes.set(key, (code = this.#values.push(values) - 1));
    return code;
  }

  #search(values: ReadonlySet<string>): Bits | undefined {
    const codes = Array.from(values, (value) => this.#singles.get(value)).filter(
      (code) => code !== undefined,
    );
    for (const code of this.#lists.values()) {
      if (this.#values[code]!.some((value) => values.has(value))) codes.push(code);
    }
    if (codes.length === 0) return undefined;
    const isWanted = new Uint8Array(this.#values.length);
    for (const code of codes) isWanted[code] = 1;
    const rows = bitsFor(this.#rowCodes.length);
    for (let row = 0; row < this.#rowCodes.length; row++) {
      if (isWanted[this.#rowCodes[row]!] === 1) setBit(rows, row);
    }
    return rows;
  }
}
