/** For a field that a person may change: without the characters that a screen would obey. */
export function toFieldText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "");
}
