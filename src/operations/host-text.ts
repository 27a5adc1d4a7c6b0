/** `pay.example.com` for `https://pay.example.com`; other forms of a destination stay as they are. */
export function hostText(origin: string): string {
  return origin.replace(/^https:\/\//, "");
}
