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

const outage = rawRecord({
  topicName: "refunds",
  labels: ["refunds"],
  responseStatus: 503,
  responseBody: "busy with jane@example.com",
});

describe("what redriver rules explain shows", () => {
  it("is nothing of a record's content, unless it was asked for", () => {
    const header = { Authorization: ["Bearer s3cret"] };
    const raw = rawRecord({ url: "https://a.example/?token=abc", header, body: '{"card":"s3cret"}' });
    expect(explainText(raw)).toContain("https://a.example/?token=***");
    expect(explainText(raw)).not.toMatch(/s3cret|abc/);
  });

  it("of one that waits: until when, and what it will become", () => {
    expect(explainText(outage, { now: enteredAt + 40_000, show: "content" })).toMatchInlineSnapshot(`
      "1725323658779-0 in drain orders (mode live): hold: too-young (rule "outage", 40s
      of 2m)
        sent to   https://api.example.com/orders
        failed    503 busy with <email> (failure f5cdfe481d)
        answered  busy with jane@example.com
        entered   2024-09-03 00:34:18 UTC, 40s ago
        created   2024-09-03 00:33:18 UTC, 1m40s ago
        expires   2024-09-06 00:34:18 UTC, in 2d23h
        attempts  none
        ledger    nothing is known under this id
        until     2024-09-03 00:36:18 UTC (in 1m20s)
        becomes   header X-Redriven: (none) -> true
                  retries: (none) -> 1
                  delay: (none) -> 159s
        losses    group-membership

        rules
          rule                 matches  why
          receiver-said-never  no       responseStatus is 489, but the record has 503
          too-old-to-matter    no       messageAge is > 2d, but the record has 1m40s
          bad-deploy-acme      no       responseStatus is 422, but the record has 503
          receiver-moved       no       host is "old.example.com", but the record has
                                        "api.example.com"
          outage               yes      all (responseStatus is one of 429, 502-504,
                                        none; host is "*.example.com")
      "
    `);
  });

  it("of one that the ledger decides about", () => {
    const text = explainText(outage, { view: publishedView });
    expect(text).toContain("\n  ledger      published as msg_new, not deleted yet\n");
    expect(text).toMatch(/ {4}outage +yes +all /);
    expect(text).toMatch(/^\S+ in drain orders \(mode live\): settle: published-before\n/);
    expect(text).toContain("\n  decided by  the ledger, before any rule\n");
  });

  it("of one that cannot be read", () => {
    expect(explainText(rawRecord({ url: 7 }))).toMatchInlineSnapshot(`
      "1725323658779-0 in drain orders (mode live): park: malformed-record
        unreadable  field "url" must be a string
        ledger      nothing is known under this id
        select      this drain does not list it: none of this happens
      "
    `);
  });
});
