import { expect, it } from "vitest";
import type { Letter } from "../../../../../src/job/page/letter.ts";
import { divide, toBatches } from "../../../../../src/job/page/publish/batches.ts";
import { dueLetter, openView } from "../../../../support/letters.ts";

const fresh = (name: string): Letter => dueLetter({ dlqId: name });
const open = (name: string, lastAt: number): Letter => dueLetter({ dlqId: name, view: openView({ lastAt }) });

const source = (
  batchSize: number,
  health: object = { state: "usable" },
  maxBeside: (dlqId: string, maxCount: number) => number = (_dlqId, maxCount) => maxCount,
) =>
  ({
    publish: { maxItems: 3, maxBytes: 10_000 },
    health: { standing: () => health },
    poison: {
      batchSize: (maxCount: number) => Math.min(maxCount, batchSize),
      hasRefused: () => true,
      maxBeside,
    },
  }) as never;

const halves = (dlqId: string, maxCount: number): number => (dlqId === "a" || dlqId === "c" ? 1 : maxCount);

const namesOf = (batches: readonly (readonly Letter[])[]): readonly (readonly string[])[] =>
  batches.map((batch) => batch.map(({ dlqId }) => dlqId));

const all = [fresh("a"), open("b", 1), fresh("c"), open("d", 2), open("e", 1), fresh("f"), fresh("g")];

it("asks first for what is in doubt, each POST by itself, and mixes it with nothing else", () => {
  expect(namesOf(toBatches(source(3), all))).toEqual([["b", "e"], ["d"], ["a", "c", "f"], ["g"]]);
});

it("keeps what is in doubt in small batches while poison is about", () => {
  expect(namesOf(toBatches(source(1), all))).toEqual([["b"], ["e"], ["d"], ["a", "c", "f"], ["g"]]);
});

it("sends the first alone on trial, unless everything was refused", () => {
  const halted = { state: "halted", onTrial: true, code: "answer-unreadable" };
  expect(namesOf(toBatches(source(3, halted), all.slice(2)))[0]).toEqual(["d"]);
  expect(namesOf(toBatches(source(3, halted), [fresh("a"), fresh("b")]))).toEqual([["a"], ["b"]]);
  const refused = { ...halted, code: "service-refuses-everything" };
  expect(namesOf(toBatches(source(3, refused), [fresh("a"), fresh("b")]))).toEqual([["a", "b"]]);
});

it("goes on with halves of what was refused together, beside nothing else", () => {
  const some = [fresh("a"), fresh("b"), fresh("c"), fresh("d")];
  expect(namesOf(toBatches(source(3, undefined, halves), some))).toEqual([["a"], ["c"], ["b", "d"]]);
});

it("cuts what stays in doubt in halves if others are answered, and in an outage seldom, or never if nothing is answered", () => {
  const letters = ["a", "b", "c", "d", "e"].map(fresh);
  const sizesOf = (answersBatches: boolean, isFailing: boolean): readonly (readonly number[])[] =>
    [1, 2, 3, 4, 5].map((times) =>
      divide({ answersBatches: () => answersBatches, isFailing: () => isFailing }, letters, times).map(
        ({ length }) => length,
      ),
    );
  expect(sizesOf(true, false)).toEqual([[5], [2, 3], [2, 3], [2, 3], [2, 3]]);
  expect(sizesOf(false, false)).toEqual([[5], [1, 4], [5], [1, 4], [5]]);
  expect(sizesOf(false, true)).toEqual([[5], [5], [5], [5], [5]]);
});

it("mixes what is in doubt past its horizon with nothing else, after what can still be asked again", () => {
  const late = dueLetter({ dlqId: "late", view: openView({ lastAt: 3, pastHorizon: true }) });
  expect(namesOf(toBatches(source(3), [fresh("a"), late, open("b", 1)]))).toEqual([["b"], ["late"], ["a"]]);
});
