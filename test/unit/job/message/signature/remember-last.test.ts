import { expect, it } from "vitest";
import { rememberLast } from "../../../../../src/job/message/signature/remember-last.ts";

function counting(few: number, maxLength: number) {
  const made: string[] = [];
  const remember = rememberLast(few, maxLength, (text) => {
    made.push(text);
    return text.toUpperCase();
  });
  return { made, remember };
}

it("works a value out once while its text is among the last few", () => {
  const { made, remember } = counting(2, 10);
  expect(["a", "b", "a", "b"].map(remember)).toEqual(["A", "B", "A", "B"]);
  expect(made).toEqual(["a", "b"]);
  expect(remember("c")).toBe("C");
  expect(remember("b")).toBe("B");
  expect(made).toEqual(["a", "b", "c"]);
  expect(remember("a")).toBe("A");
  expect(made).toEqual(["a", "b", "c", "a"]);
});

it("keeps no text that is too long", () => {
  const { made, remember } = counting(2, 3);
  expect(remember("long")).toBe("LONG");
  expect(remember("long")).toBe("LONG");
  expect(made).toEqual(["long", "long"]);
});
