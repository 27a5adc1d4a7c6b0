import type { ItemChanges } from "../../../../src/job/message/item-changes.ts";
import { describe, expect, it } from "vitest";
import { messageIdOf } from "../../../support/letters.ts";
import { itemOf, parkOf } from "../../../support/rebuilt.ts";
import { words } from "../../../support/words.ts";

const retriesOf = (changes: ItemChanges, retries: number | null) =>
  itemOf({ maxRetries: 3 }, changes, { retries }).headers["Upstash-Retries"];
const sentAt = (notBefore: number, fields = {}) => itemOf(fields, {}, { delayMs: 5_000, notBefore }).headers;

describe("a rebuilt item", () => {
  it("says everything that the record says, under either prefix", () => {
    const fields = {
      url: "https://api.example.com/orders?a=1,2",
      method: "PATCH",
      queueName: "q1",
      header: { "content-type": ["application/json"], "X-Tenant": ["acme"], Accept: ["a", "b"] },
      maxRetries: 3,
      retryDelayExpression: "1000 * (1 + retried)",
      callback: "https://cb.example.com/c",
      callbackHeader: { "X-C": ["1"], Host: ["no"], "Service-Retries": ["9"] },
      failureCallback: "https://cb.example.com/f",
      failureCallbackHeader: { "X-F": "2" },
      labels: ["one", "two"],
      flowControlKey: "key",
      parallelism: 2,
      rate: 10,
      period: 60,
    };
    expect(itemOf(fields, {}, { headerPrefix: "Service-" })).toEqual({
      destination: "https://api.example.com/orders?a=1,2",
      queue: "q1",
      body: '{"order":1}',
      headers: {
        "Content-Type": "application/json",
        "Service-Method": "PATCH",
        "Service-Forward-X-Tenant": "acme",
        "Service-Forward-Accept": "a, b",
        "Service-Retries": "3",
        "Service-Retry-Delay": "1000 * (1 + retried)",
        "Service-Callback": "https://cb.example.com/c",
        "Service-Callback-Forward-X-C": "1",
        "Service-Failure-Callback": "https://cb.example.com/f",
        "Service-Failure-Callback-Forward-X-F": "2",
        "Service-Label": "one,two",
        "Service-Flow-Control-Key": "key",
        "Service-Flow-Control-Value": "parallelism=2, rate=10, period=60s",
        "Service-Deduplication-Id": "redriver-1-0",
        "Service-Forward-X-Redriver-Message-Id": "msg_1",
        "Service-Forward-X-Redriver": "v1.payload.tag",
      },
    });
  });

  it.each(
    words(`
      Host content-length User-Agent Connection Keep-Alive Proxy-Authorization Proxy-Authenticate TE Trailer
      Transfer-Encoding Upgrade Upstash-Signature UPSTASH-DELAY upstash-forward-x X-REDRIVER
    `),
  )("does not forward %s", (name) => {
    expect(itemOf({ header: { [name]: ["11"] } })).toEqual(itemOf({}));
  });

  it("names no root whose id a header cannot carry", () => {
    const names = Object.keys(itemOf({}, {}, { rootId: messageIdOf("msg_\r\nX: é") }).headers);
    expect(names).not.toContain("Upstash-Forward-X-Redriver-Message-Id");
    expect(names).toContain("Upstash-Forward-X-Redriver");
  });
});

describe("retries and delay", () => {
  it("take the rule's word before the root's, and never the record's own, which a redrive may have set", () => {
    expect(retriesOf({ retries: 0 }, 5)).toBe("0");
    expect(retriesOf({}, 0)).toBe("0");
    expect(retriesOf({}, null)).toBeUndefined();
  });

  it("give the time of its delivery in whole seconds, rounded up, instead of a delay", () => {
    expect(sentAt(1_800_000_000_001)).toMatchObject({ "Upstash-Not-Before": "1800000001" });
    expect(sentAt(1_800_000_000_000)).toMatchObject({ "Upstash-Not-Before": "1800000000" });
    expect(sentAt(1_800_000_000_000)).not.toHaveProperty("Upstash-Delay");
    expect(sentAt(1_800_000_000_000, { queueName: "q" })).not.toHaveProperty("Upstash-Not-Before");
  });
});

describe("what one header string cannot carry", () => {
  it.each<[string, Record<string, unknown>, ItemChanges]>([
    ["several cookies", { header: { cookie: ["a", "b"] } }, {}],
    ["a line break in a value", { header: { "X-A": ["a\r\nX-B: c"] } }, {}],
    ["a rule's method that is no token", {}, { method: "GET /" }],
    ["a comma in a rule's label", {}, { labels: ["a,b"] }],
    [
      "a line break in a callback header",
      { callback: "https://c.example", callbackHeader: { A: "a\nb" } },
      {},
    ],
    ["a line break in a rule's retry delay", {}, { retryDelay: "1\n2" }],
    ["a line break in a rule's flow control key", {}, { flowControl: { key: "a\nb", rate: 1 } }],
  ])("is parked: %s", (_name, fields, changes) => {
    expect(parkOf(fields, changes)).toBe("unjoinable-header");
  });

  it.each<[Record<string, unknown>, ItemChanges]>([
    [{ callback: "nowhere" }, { callback: "nowhere" }],
    [{ failureCallback: "https://c.example/\r\nX: 1" }, { failureCallback: "ftp://example.com" }],
  ])("is parked as no address: %j, and set by a rule %j", (fields, changes) => {
    expect([parkOf(fields), parkOf({}, changes)]).toEqual(["bad-destination", "bad-destination"]);
  });

  it("may be removed by a rule where the value alone is the trouble", () => {
    expect(parkOf({ header: { "X-A": ["a\nb"] } }, { headers: { "X-A": null } })).toBe("none");
  });
});
