import { bitsFor, setBit, type Bits } from "./bits.ts";
import type { KeyedFilter } from "./filters.ts";

// 64 answers of 4,096 rows are 32 KB, four times the column itself.
const maxAnswers = 64;

/** One field of all rows of a block, as codes of 16 bits: rows with equal values, in equal order, have one code. */
export class FilterColumn {
  readonly #rowCodes: Uint16Array;
  /** By code: the values as a JSON array. 0 stands for none. */
  readonly #keys = ["[]"];
  readonly #codes = new Map([["[]", 0]]);
  /** Codes that stand for more than one value. */
  readonly #lists = new Set<number>();
  /** What was asked for last: each page of a listing asks for the same. */
  readonly #answers = new Map<string, Bits | undefined>();

  constructor(rows: number) {
    this.#rowCodes = new Uint16Array(rows);
  }

  put(row: number, values: readonly string[]): void {
    this.#putKey(row, JSON.stringify(values), values.length > 1);
  }

  copy(row: number, from: FilterColumn, fromRow: number): void {
    const code = from.#rowCodes[fromRow]!;
    this.#putKey(row, from.#keys[code]!, from.#lists.has(code));
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

  #putKey(row: number, key: string, isList: boolean): void {
    let code = this.#codes.get(key);
    if (code === undefined) {
      code = this.#keys.push(key) - 1;
      this.#codes.set(key, code);
      if (isList) this.#lists.add(code);
    }
    this.#rowCodes[row] = code;
    this.#answers.clear();
  }

  #search(values: ReadonlySet<string>): Bits | undefined {
    const singles = Array.from(values, (value) => this.#codes.get(JSON.stringify([value])) ?? 0);
    const lists = [...this.#lists].filter((code) => {
      const list = JSON.parse(this.#keys[code]!) as string[];
      return list.some((value) => values.has(value));
    });
    const codes = [...singles, ...lists].filter((code) => code !== 0);
    if (codes.length === 0) return undefined;
    const isWanted = new Uint8Array(this.#keys.length);
    for (const code of codes) isWanted[code] = 1;
    const rows = bitsFor(this.#rowCodes.length);
    for (let row = 0; row < this.#rowCodes.length; row++) {
      if (isWanted[this.#rowCodes[row]!] === 1) setBit(rows, row);
    }
    return rows;
  }
}
