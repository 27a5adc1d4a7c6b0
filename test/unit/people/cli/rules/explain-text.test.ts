import { describe, expect, it } from "vitest";
import { explainRecord, type ExplainConditions } from "../../../../../src/people/operations/rules/explain.ts";
import { toExplainText } from "../../../../../src/people/cli/rules/explain-text.ts";
import type { RawRecord } from "../../../../../src/job/message/dead-letter.ts";
import type { DrainConfig } from "../../../../../src/job/contracts/drains-document.ts";
import { loaded } from "../../../../support/drains-documents.ts";
import { enteredAt, publishedView, rawRecord } from "../../../../support/letters.ts";
import { wholeDocument } from "../../../../support/whole-document.ts";
import { fitting } from "../../../../support/fitting.ts";
import { anyItem } from "../../../../support/item-checks.ts";

function drainOf(text: string): DrainConfig {
  const [drain] = loaded(text, "drains.yaml").drains;
  if (drain === undefined) throw new Error("the test's document has a drain");
  return drain;
}

const explainText = (raw: RawRecord, conditions: Partial<ExplainConditions> = {}, text = wholeDocument) =>
  fitting(
    toExplainText(
      80,
      explainRecord(drainOf(text), raw, {
        now: enteredAt + 3_600_000,
        view: { state: "absent" },
        viewedAt: enteredAt + 3_600_000,
        headerPrefix: "Upstash-",
        lineageKeys: ["key"],
        checkItem: anyItem,
        show: "masked",
        ledgerNotAsked: null,
        notes: [],
        ...conditions,
      }),
    ),
  );

const edited = rawRecord({
  url: "https://api.example.com/orders?token=abc",
  topicName: "orders",
  labels: ["orders"],
  responseStatus: 422,
  responseBody: '{"error":"schema 2 is not known any more"}',
  header: { Authorization: ["Bearer s3cret"] },
  body: '{"tenant":"acme","schema":2}',
});
const outage = rawRecord({ topicName: "refunds", labels: ["refunds"], responseStatus: 503 });

describe("what redriver rules explain shows", () => {
  it("of one that is due: each rule, the decision, and what it becomes, without its content", () => {
    const text = explainText(edited);
    expect(text).toMatchInlineSnapshot(`
      "1725323658779-0 in drain orders (mode live)
        sent to     https://api.example.com/orders?token=***
        failed      422 schema <n> is not known any more (failure ee5a8172c9)
        entered     2024-09-03 00:34:18 UTC, 1h ago
        created     2024-09-03 00:33:18 UTC, 1h1m ago
        expires     2024-09-06 00:34:18 UTC, in 2d23h
        attempts    none
        ledger      nothing is known of it

        rules
          no        receiver-said-never: responseStatus is 489, but the record has 422
          no        too-old-to-matter: messageAge is > 2d, but the record has 1h1m
          yes       bad-deploy-acme: all (responseStatus is 422; body "/tenant" is
                    [set]; body "/schema" is < 3)
          not asked receiver-moved, outage

        decision    republish: due (rule "bad-deploy-acme")
                    limits, guards and the lane of its destination are asked when it
                    is published; redriver status shows their state

        becomes
          body /schema: number -> number
        losses      group-membership
      "
    `);
    expect(text).not.toMatch(/s3cret|abc/);
  });

  it("of one that waits: until when, and what it will become", () => {
    expect(explainText(outage, { now: enteredAt + 40_000, show: "content" })).toMatchInlineSnapshot(`
      "1725323658779-0 in drain orders (mode live)
        sent to     https://api.example.com/orders
        failed      503 (empty) (failure d276f5cd01)
        entered     2024-09-03 00:34:18 UTC, 40s ago
        created     2024-09-03 00:33:18 UTC, 1m40s ago
        expires     2024-09-06 00:34:18 UTC, in 2d23h
        attempts    none
        ledger      nothing is known of it

        rules
          no        receiver-said-never: responseStatus is 489, but the record has 503
          no        too-old-to-matter: messageAge is > 2d, but the record has 1m40s
          no        bad-deploy-acme: responseStatus is 422, but the record has 503
          no        receiver-moved: host is "old.example.com", but the record has
                    "api.example.com"
          yes       outage: all (responseStatus is one of 429, 502-504, none; host is
                    "*.example.com")

        decision    hold: too-young (rule "outage", 40s of 2m)
        until       2024-09-03 00:36:18 UTC

        becomes
          header X-Redriven: (none) -> true
          retries: (none) -> 1
          delay: (none) -> 159s
        losses      group-membership
      "
    `);
  });

  it("of one that no rule names, and that the drain does not list", () => {
    const conditions = { ledgerNotAsked: "the record does not come from the queue", notes: ["a note"] };
    const text = explainText(rawRecord({ responseStatus: 418 }), conditions);
    expect(text).toContain(`
  ledger      not asked: the record does not come from the queue
  select      this drain does not list it: none of this happens
  note        a note
`);
    expect(text).toContain("\n    yes       otherwise: hold\n\n  decision    hold: otherwise\n");
  });

  it("of one that the ledger decides about", () => {
    const text = explainText(outage, { view: publishedView });
    expect(text).toContain("\n  ledger      published as msg_new, not deleted yet\n");
    expect(text).toContain("\n    yes       outage: all ");
    expect(text.split("\n").slice(-3)).toEqual([
      "  decision    settle: published-before",
      "              the ledger decides this before any rule",
      "",
    ]);
  });

  it("of one that would be parked once it is due", () => {
    const raw = { ...edited, body: '{"tenant":"acme","schema":2,"id":9007199254740993}' };
    expect(
      explainText(raw, { now: enteredAt + 1_000 })
        .split("\n")
        .slice(-5)
        .join("\n"),
    ).toMatchInlineSnapshot(`
      "  decision    hold: too-young (rule "bad-deploy-acme", 1s of 2m)
        until       2024-09-03 00:36:18 UTC

        becomes     nothing: it would be parked, body-numbers
      "
    `);
  });

  it("of one that cannot be read", () => {
    expect(explainText(rawRecord({ url: 7 }))).toMatchInlineSnapshot(`
      "1725323658779-0 in drain orders (mode live)
        unreadable  field "url" must be a string
        ledger      nothing is known of it
        select      this drain does not list it: none of this happens

        decision    park: malformed-record
      "
    `);
  });

  it("of an id that is made to hurt a terminal: it is spelled out", () => {
    expect(explainText(rawRecord({ dlqId: "1-0\u001b[2J" }))).toContain("1-0\\u{1b}[2J in drain orders");
  });
});
