import { expect } from "vitest";

/** Nothing is wider than a terminal of 80 columns, but for a single word. */
export function fitting(text: string): string {
  expect(text.split("\n").filter((line) => line.length > 80 && line.trim().includes(" "))).toEqual([]);
  return text;
}
