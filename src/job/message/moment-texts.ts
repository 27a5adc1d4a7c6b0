/** Moments and spans of time as servers write them. Each reader answers null for any other text. */

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const time = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;
/** GMT, as it has to be, or the zone of a mail's date (RFC 5322). */
const zone = String.raw`(?<zone>GMT|UTC|UT|Z|[+-]\d{2}:?\d{2})`;
/** RFC 9110 §5.6.7: senders must write the first, and recipients must read all three. */
const httpDates = [
  new RegExp(String.raw`^[a-z]{3}, (?<day>\d{1,2}) (?<month>[a-z]{3}) (?<year>\d{4}) ${time} ${zone}$`, "i"),
  new RegExp(String.raw`^[a-z]{6,9}, (?<day>\d{2})-(?<month>[a-z]{3})-(?<year>\d{2}) ${time} ${zone}$`, "i"),
  new RegExp(String.raw`^[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \d]\d) ${time} (?<year>\d{4})$`, "i"),
];
const fiftyYearsMs = 50 * 365.25 * 86_400_000;

/** The date of a header in any form of RFC 9110, as Unix ms. `around`: when it was written, about. */
export function parseHttpDate(text: string, around: number): number | null {
  for (const form of httpDates) {
    const fields = form.exec(text)?.groups;
    if (fields === undefined) continue;
    const { day = "", month = "", year = "" } = fields;
    const monthIndex = months.indexOf(month.toLowerCase());
    if (year.length === 4) return toMoment(Number(year), monthIndex, Number(day), fields);
    // A year of two digits that seems to be more than 50 years ahead is of the century before.
    const at = toMoment(2_000 + Number(year), monthIndex, Number(day), fields);
    const isAhead = at !== null && at > around + fiftyYearsMs;
    return isAhead ? toMoment(1_900 + Number(year), monthIndex, Number(day), fields) : at;
  }
  return null;
}

const iso =
  /^(?<year>\d{4})-?(?<month>\d{2})-?(?<day>\d{2})(?:[T ](?<hour>\d{2}):?(?<minute>\d{2})(?::?(?<second>\d{2})(?:\.(?<fraction>\d{1,9}))?)? ?(?<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** A date or time of ISO 8601, as Unix ms. Without a zone it is in UTC. A fraction of a ms is rounded up. */
export function parseIsoTime(text: string): number | null {
  const fields = iso.exec(text)?.groups;
  // Eight digits alone are a number.
  if (fields === undefined || /^\d+$/.test(text)) return null;
  const { year, month, day, fraction = "0" } = fields;
  const at = toMoment(Number(year), Number(month) - 1, Number(day), fields);
  return at === null ? null : at + Math.ceil(Number(`0.${fraction}`) * 1_000);
}

/** Null for a day or an hour that does not exist. A leap second is the first of the next minute. */
function toMoment(
  year: number,
  month: number,
  day: number,
  { hour = "0", minute = "0", second = "0", zone = "Z" }: Readonly<Record<string, string | undefined>>,
): number | null {
  const date = new Date(Date.UTC(year, month, day));
  if (date.getUTCMonth() !== month || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60)
    return null;
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000);
  return date.getTime() + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000 - offsetMs;
}

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The text form of Go's time.Duration without a sign, and with days: `300ms`, `1.5h`, `6m0s`. In ms. */
export function parseGoDuration(value: string): number | null {
  const part = /(\d{1,12}(?:\.\d{1,9})?)(ns|us|µs|μs|ms|s|m|h|d)/y;
  let totalMs = 0;
  while (part.lastIndex < value.length) {
    const [, number, unit] = part.exec(value) ?? [];
    if (number === undefined || unit === undefined) return null;
    totalMs += Number(number) * (unitMs[unit] ?? 0);
  }
  return value === "" ? null : totalMs;
}

const words =
  /^(?:milliseconds?|millis|msecs?|(s)(?:econds?|ecs?)|(m)(?:inutes?|ins?)|(h)(?:ours?|rs?)|(d)ays?)$/;

export function parseWordedDuration(text: string): number | null {
  const lower = text.toLowerCase();
  if (lower.length > 64 || !/^\d[\d.a-zµμ ]*$/.test(lower)) return null;
  const short = lower.replaceAll(/[a-z]+/g, (word) =>
    word.replace(words, (_word, ...units) => units.slice(0, 4).find(Boolean) ?? "ms"),
  );
  return parseGoDuration(short.replaceAll(" ", ""));
}

/** A duration of ISO 8601 in days and less: `PT30S`, `P1DT2H`. In ms. Its units are Go's in capitals. */
export function parseIsoDuration(text: string): number | null {
  const [, days = "", rest] = /^P(\d+D)?(?:T([\d.HMS]+))?$/i.exec(text) ?? [];
  return parseGoDuration(`${days}${rest ?? ""}`.toLowerCase());
}
