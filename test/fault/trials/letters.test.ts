import { expect, test } from "vitest";
import { kinds, makeLetters, markOf } from "./letters.ts";

const make = (seed: number) =>
  makeLetters({
    seed,
    count: 500,
    shares: { poison: 0.01, refused: 0.05 },
    url: "http://127.0.0.1:1",
    now: 1_700_000_000_000,
  });

test("letters have exactly their shares, and those that are never taken have to stay", () => {
  const letters = make(1);
  const stay = letters.filter(({ fate }) => fate === "stay");
  expect(stay.filter(({ kind }) => kind === "poison")).toHaveLength(5);
  expect(stay.filter(({ kind }) => kind === "refused")).toHaveLength(25);
  expect(stay).toHaveLength(30);
});

test("a mark stands in the bodies of its kind alone", () => {
  const wrong = make(1).filter(({ kind, record }) =>
    kinds.some((one) => String(record["body"]).includes(markOf(one)) !== (one === kind)),
  );
  expect(wrong).toEqual([]);
});

test("the same seed makes the same letters, another seed spreads them otherwise", () => {
  expect(make(1)).toEqual(make(1));
  const roots = (seed: number) => make(seed).map(({ root }) => root);
  expect(roots(2)).not.toEqual(roots(1));
});
