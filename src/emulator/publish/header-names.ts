/** `x-order-id` → `X-Order-Id`: header names are case-insensitive, records show one form. */
export const canonicalName = (name: string): string =>
  name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());

export const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);

/** Visible characters, spaces and tabs, and Latin-1: what one HTTP/1.1 field line can carry. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
export const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
