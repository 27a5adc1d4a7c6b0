/**
 * An address, or null. `URL.canParse` is not used: in Node 20 (seen in 20.20.2) it answers false for an
 * address with a Latin-1 letter, such as `https://münchen.example`, once its caller is hot. After some
 * thousand of them, such messages would be parked.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
