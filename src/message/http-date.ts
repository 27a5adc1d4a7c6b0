// IMF-fixdate, the only form a server may send today (RFC 9110 5.6.7). Date.parse alone takes "1" for the year 2001.
const imfFixdate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Unix milliseconds of an HTTP date, in whole seconds; undefined when the text is not one. */
export function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined || !imfFixdate.test(text.trim())) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
