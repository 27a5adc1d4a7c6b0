/** Numbers as JSON writes them, by their digits: a double keeps only some 15 of these apart. */

interface Decimal {
  readonly sign: "" | "-";
  readonly digits: string;
  readonly power: number;
}

/** Below 0, 0 or above 0, as one number is less than, equal to or more than the other. Linear in the texts. */
export function compareDecimals(one: string, other: string): number {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  const [isBelow, isOtherBelow] = [a.sign === "-", b.sign === "-"];
  if (isBelow !== isOtherBelow) return isBelow ? -1 : 1;
  return isBelow ? compareSizes(b, a) : compareSizes(a, b);
}

export function toDecimal(token: string): string {
  const { sign, digits, power } = decimalOf(token);
  return digits === "" ? "0" : `${sign}${digits}e${power}`;
}

function compareSizes(a: Decimal, b: Decimal): number {
  if (a.digits === "" || b.digits === "") return a.digits.length - b.digits.length;
  const magnitude = a.digits.length + a.power - (b.digits.length + b.power);
  if (magnitude !== 0 && !Number.isNaN(magnitude)) return magnitude;
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -1 : 1;
}

/** Infinite values have no digits. */
function decimalOf(token: string): Decimal {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^([-+]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = whole + fraction;
  let from = 0;
  while (digits[from] === "0") from++;
  if (from === digits.length) return { sign: "", digits: "", power: 0 };
  let to = digits.length;
  while (digits[to - 1] === "0") to--;
  const power = Number(exponent) - fraction.length + (digits.length - to);
  return { sign: sign === "-" ? "-" : "", digits: digits.slice(from, to), power };
}
