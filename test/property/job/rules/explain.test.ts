import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explainRecord } from "../../../../src/people/operations/rules/explain.ts";
import type { DeadLetter, RawRecord } from "../../../../src/job/message/dead-letter.ts";
import type { DrainConfig } from "../../../../src/job/contracts/drains-document.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import { compileRules } from "../../../../src/job/rules/compile-rules.ts";
import { ruleLists as rules, recordFacts } from "../../../support/arbitrary-rules.ts";
import { loaded } from "../../../support/drains-documents.ts";
import { enteredAt, publishedView } from "../../../support/letters.ts";
import { anyItem } from "../../../support/item-checks.ts";
import { casesOf } from "../../../support/fuzzing.ts";

const plain = loaded("version: 1\nsources: { a: {} }\ndrains: { d: {} }\n", "plain").drains[0]!;

/**
 * What the ledger may know; `cool` says how often a message was redriven and leaves the rest to the rules.
 */
function views(attempt: number): fc.Arbitrary<LedgerView> {
  const cool = { state: "cool", dueAt: 0, refusedAlone: 0, attempt, released: false, suffix: 1 } as const;
  const parked = {
    state: "parked",
    reason: "refused",
    drain: plain.name,
    rulesHash: "other",
    attempt,
    suffix: 1,
  } as const;
  return fc.constantFrom<LedgerView>(
    cool,
    { ...cool, released: "by-person" },
    { ...cool, dueAt: enteredAt * 2 },
    parked,
    { ...parked, reason: "rule" },
    { state: "gone", at: enteredAt },
    publishedView,
  );
}

/** As the service lists it. */
const toRaw = ({ callerIp, ...letter }: DeadLetter): RawRecord => ({ ...letter, callerIP: callerIp });

describe("redriver rules explain", () => {
  it("agrees with the router, rule by rule, about any record and any rules", () => {
    const seen = new Set<string>();
    const cases = fc.record({
      rules,
      otherwise: fc.constantFrom("hold" as const, "park" as const),
      known: recordFacts.chain((facts) => views(facts.attempt).map((view) => ({ facts, view }))),
    });
    fc.assert(
      fc.property(cases, ({ rules: list, otherwise, known: { facts, view } }) => {
        const route = compileRules(list, otherwise);
        const drain: DrainConfig = { ...plain, rules: list, otherwise, route };
        const explanation = explainRecord(drain, toRaw(facts.letter), {
          now: facts.now,
          view,
          viewedAt: facts.now,
          headerPrefix: "Upstash-",
          lineageKeys: ["key"],
          checkItem: anyItem,
          show: "masked",
          ledgerNotAsked: null,
          notes: [],
        });
        const { letter } = facts;
        const attempt = view.state === "cool" || view.state === "parked" ? view.attempt : 0;
        const routed = route({
          letter,
          now: facts.now,
          attempt,
          rootCreatedAt: letter.createdAt,
          expiresAt: letter.enteredAt + drain.source.retentionMs,
        });
        const held = explanation.rules.filter(({ outcome }) => outcome === "held").map(({ rule }) => rule);
        expect(held).toEqual(routed.rule === null ? [] : [routed.rule]);
        expect(explanation.rules.map(({ rule }) => rule)).toEqual(list.map(({ name }) => name));
        expect(explanation.rules.filter(({ why }) => why === "")).toEqual([]);
        const { decision, decidedByLedger, becomes } = explanation;
        seen.add(`${decidedByLedger ? "ledger" : "rules"} ${decision.then}`);
        if (decidedByLedger) return;
        expect(decision.rule).toBe(routed.rule);
        // A person's release outranks a rule's park, once.
        const isOrdered = view.state === "cool" && view.released === "by-person" && routed.then === "park";
        const isRepublished = routed.then === "republish" || isOrdered;
        const isTooYoung = routed.then === "drop" && facts.now < letter.enteredAt + drain.minAgeMs;
        expect(isRepublished || decision.then === (isTooYoung ? "hold" : routed.then)).toBe(true);
        expect(isTooYoung && decision.reason !== "too-young").toBe(false);
        expect(isRepublished || becomes === null).toBe(true);
        expect(decision.then !== "republish" || becomes?.kind === "item").toBe(true);
      }),
      // Fewer would not meet each outcome.
      { numRuns: Math.max(500, casesOf(1_000)) },
    );
    for (const outcome of ["rules republish", "rules drop", "rules hold", "rules park", "ledger settle"]) {
      expect(seen).toContain(outcome);
    }
  });
});
