/** Printable ASCII without quote and backslash: JSON writes it as it is, and any header can hold it. */
const plain = /^[ !#-[\]-~]*$/;

export function isPlain(text: string): boolean {
  return plain.test(text);
}

/** The text as JSON writes it. Most texts are plain, and then only quotes are added. */
export function toJsonText(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}
