/** The words of a text that spans lines: rows of a table that are one word each. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);
