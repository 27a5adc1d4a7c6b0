declare global {
  // Node 20 has them, lib ES2023 does not.
  interface String {
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

/**
 * True without half of a surrogate pair, which JSON can write as an escape and UTF-8 cannot. Redis would keep
 * another text, its scripts refuse the escape, and `encodeURIComponent` throws.
 */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

/** With U+FFFD for each half. */
export function toWellFormed(text: string): string {
  return text.toWellFormed();
}
