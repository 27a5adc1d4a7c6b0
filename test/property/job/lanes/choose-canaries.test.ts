import * as fc from "fast-check";
import { toRootHash } from "../../../../src/job/message/short-id.ts";
import { describe, expect, it } from "vitest";
import { nextLineage } from "../../../../src/job/message/lineage.ts";
import { chooseCanaries } from "../../../../src/job/lanes/choose-canaries.ts";
import { signatureOf } from "../../../../src/job/message/signature/signature-of.ts";
import { enteredAt, letterOf } from "../../../support/letters.ts";

type Choosable = ReturnType<typeof choosableOf>;

/** Of one failure (a status) and age each; the index is its place in the page. */
function choosableOf(status: number, ageMs: number, index: number) {
  const letter = letterOf({
    dlqId: `${enteredAt - ageMs}-${index}`,
    createdAt: enteredAt - 100_000,
    messageId: `msg_${index}`,
    responseStatus: status,
  });
  const { dlqId, messageId, responseStatus, responseBody, responseBodyBase64 } = letter;
  const lineage = nextLineage(letter, { kind: "none" }, 0);
  const failedAs = { responseStatus, responseBody, responseBodyBase64 };
  return { dlqId, messageId, enteredAt: letter.enteredAt, lineage, ...failedAs };
}

const pages = fc
  .array(fc.tuple(fc.constantFrom(422, 500, 502, 503), fc.nat({ max: 20 })), { maxLength: 100 })
  .map((all) => all.map(([status, ageMs], index) => choosableOf(status, ageMs, index)));
const wanted = fc.nat({ max: 110 });
const freely = { avoid: [], mayRepeat: true };
const idsOf = (chosen: readonly Choosable[]) => chosen.map(({ dlqId }) => dlqId);
const isNew = ({ messageId, lineage }: Choosable) => lineage.rootId === messageId;
const isFit = ({ lineage }: Choosable) => lineage.statusBefore === 503;
const shareOf = (of: readonly Choosable[], status: number) =>
  of.filter(({ responseStatus }) => responseStatus === status).length;

describe("canaries", () => {
  it("have of each failure its share of the page, rounded up or down", () => {
    fc.assert(
      fc.property(pages, wanted, (page, wish) => {
        fc.pre(page.length > 0);
        const canaries = Math.min(wish, page.length);
        const chosen = chooseCanaries(page, { ...freely, canaries });
        for (const status of [422, 500, 502, 503]) {
          const exact = (shareOf(page, status) * canaries) / page.length;
          expect([Math.floor(exact), Math.ceil(exact)]).toContain(shareOf(chosen, status));
        }
      }),
    );
  });

  it("are as many as asked for, or all, nobody twice, and the same in whatever order the page is", () => {
    fc.assert(
      fc.property(pages, wanted, fc.infiniteStream(fc.nat()), (page, canaries, dice) => {
        const shuffled = page
          .map((one) => ({ one, at: dice.next().value ?? 0 }))
          .toSorted((one, other) => one.at - other.at)
          .map(({ one }) => one);
        const [ids, others] = [page, shuffled].map((list) =>
          idsOf(chooseCanaries(list, { ...freely, canaries })).toSorted(),
        );
        expect(others).toEqual(ids);
        expect(new Set(ids).size).toBe(ids?.length);
        expect(ids).toHaveLength(Math.min(canaries, page.length));
      }),
    );
  });

  it("are none of those to avoid where another is left, and others' shares are kept", () => {
    fc.assert(
      fc.property(
        pages,
        wanted,
        fc.func(fc.boolean()),
        fc.boolean(),
        (page, canaries, toAvoid, mayRepeat) => {
          const avoided = page.map(({ lineage }) => lineage.rootId).filter((id) => toAvoid(id));
          const isFresh = ({ lineage }: Choosable) => !avoided.includes(lineage.rootId);
          const avoid = avoided.map(toRootHash);
          const fresh = page.filter(isFresh);
          const chosen = chooseCanaries(page, { ...freely, canaries, avoid, mayRepeat });
          expect(chosen.filter(isFresh)).toHaveLength(Math.min(canaries, fresh.length));
          const most = mayRepeat ? page.length : fresh.length;
          expect(chosen).toHaveLength(Math.min(canaries, most));
          expect(new Set(idsOf(chosen)).size).toBe(chosen.length);
          const without = chooseCanaries(fresh, { ...freely, canaries });
          expect(idsOf(chosen.filter(isFresh))).toEqual(idsOf(without));
        },
      ),
    );
  });

  it("are none of what is known to be bad where another is left", () => {
    fc.assert(
      fc.property(pages, wanted, fc.func(fc.boolean()), fc.boolean(), (given, canaries, isBad, mayRepeat) => {
        const page = given.map((one) => ({
          ...one,
          lineage: { ...one.lineage, attempt: 2, statusBefore: isBad(one.lineage.rootId) ? 422 : 503 },
        }));
        const fit = page.filter(isFit);
        const chosen = chooseCanaries(page, { ...freely, canaries, mayRepeat });
        expect(chosen.filter(isFit)).toHaveLength(Math.min(canaries, fit.length));
        const most = mayRepeat ? page.length : fit.length;
        expect(chosen).toHaveLength(Math.min(canaries, most));
      }),
    );
  });

  it("are none of what came back where another was never redriven", () => {
    fc.assert(
      fc.property(pages, wanted, fc.func(fc.boolean()), (given, canaries, isBack) => {
        const page = given.map((one) =>
          isBack(one.lineage.rootId)
            ? { ...one, lineage: { ...one.lineage, rootId: "msg_of_before" as typeof one.lineage.rootId } }
            : one,
        );
        const chosen = chooseCanaries(page, { ...freely, canaries });
        expect(chosen.filter(isNew)).toHaveLength(Math.min(canaries, page.filter(isNew).length));
        expect(chosen).toHaveLength(Math.min(canaries, page.length));
      }),
    );
  });

  it("are from the middle of equal parts, by failure, then age", () => {
    const page = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((age) => choosableOf(503, age, age));
    const ages = (canaries: number) =>
      chooseCanaries(page.toReversed(), { ...freely, canaries }).map((one) => enteredAt - one.enteredAt);
    expect(ages(1)).toEqual([4]);
    expect(ages(2)).toEqual([7, 2]);
    expect(ages(5)).toEqual([8, 6, 4, 2, 0]);
    expect(new Set(page.map((one) => signatureOf(one).key)).size).toBe(1);
  });
});
