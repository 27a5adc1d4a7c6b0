import { describe, expect, it } from "vitest";
import { factsOf } from "../../../support/letters.ts";
import { load } from "../../../support/loaded-document.ts";
import { wholeDocument } from "../../../support/whole-document.ts";

const day = 86_400_000;

const { document, warnings } = load(wholeDocument);
const [orders] = document.drains;

describe("a whole document", () => {
  it("means what it says", () => {
    expect(warnings).toEqual([]);
    expect(document.archive).toEqual({ dir: "/var/lib/redriver/archive", keepMs: 30 * day });
    expect(orders).toMatchObject({
      limits: { publish: { count: 200, perMs: 1_000 }, perHost: { count: 25, perMs: 1_000 } },
      beforeExpiry: { withinMs: day / 2, then: "archive" },
      guards: [{ index: "catalog", field: "pending_index_count", whenStale: "hold" }],
    });
  });

  it("spells out the built-in values under defaults", () => {
    const without = wholeDocument.replace(/^defaults:[^]*?(?=^drains:)/m, "");
    expect(without).not.toContain("defaults");
    expect(load(without).document.hash).toBe(document.hash);
  });

  it.each<[Record<string, unknown>, string | null]>([
    [{ responseStatus: 489 }, "receiver-said-never"],
    [{ responseStatus: 504, topicName: "orders", createdAt: 1 }, "too-old-to-matter"],
    [{ responseStatus: 422, body: '{"tenant":"acme","schema":2}' }, "bad-deploy-acme"],
    [{ responseStatus: 422, body: '{"tenant":"acme","schema":3}' }, null],
    [{ responseStatus: 422, body: '{"tenant":"other","schema":2}' }, null],
    [{ responseStatus: 500, url: "https://old.example.com/a" }, "receiver-moved"],
    [{ responseStatus: 503 }, "outage"],
    [{}, "outage"],
    [{ responseStatus: 503, url: "https://example.org" }, null],
  ])("routes %j to %s", (fields, rule) => {
    expect(orders?.route(factsOf(fields)).rule).toBe(rule);
  });
});
