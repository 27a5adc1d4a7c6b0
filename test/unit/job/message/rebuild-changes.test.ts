import type { ItemChanges } from "../../../../src/job/message/item-changes.ts";
import { describe, expect, it } from "vitest";
import { itemOf, lossesOf, parkOf } from "../../../support/rebuilt.ts";

describe("what a rule changes", () => {
  it("sets, replaces and removes headers whatever their case", () => {
    const header = { "X-Keep": ["1"], "X-Change": ["1"], "X-Drop": ["1"], "content-type": ["text/plain"] };
    const changes = {
      headers: { "x-change": "2", "x-drop": null, "X-New": "3", "Content-Type": "text/html" },
    };
    const { headers } = itemOf({ header }, changes);
    expect(headers).toMatchObject({
      "Upstash-Forward-X-Keep": "1",
      "Upstash-Forward-x-change": "2",
      "Upstash-Forward-X-New": "3",
      "Content-Type": "text/html",
    });
    expect(Object.keys(headers).filter((name) => /drop|X-Change|Forward-content/.test(name))).toEqual([]);
  });

  it.each<[ItemChanges["destination"], string]>([
    ["https://other.example/x", "https://other.example/x"],
    [{ host: "new.example.com" }, "http://new.example.com/a/../%7Eb?q=1,2#f"],
    [{ host: "new.example.com:8080", scheme: "https" }, "https://new.example.com:8080/a/../%7Eb?q=1,2#f"],
    [{ path: "/v2" }, "http://old.example.com:81/v2?q=1,2#f"],
    [{}, "http://old.example.com:81/a/../%7Eb?q=1,2#f"],
  ])("replaces parts of the destination and leaves the rest byte for byte: %j", (destination, expected) => {
    const url = "http://old.example.com:81/a/../%7Eb?q=1,2#f";
    expect(itemOf({ url }, destination === undefined ? {} : { destination }).destination).toBe(expected);
  });
});

describe("the settings that a rule changes", () => {
  const original = {
    queueName: "q1",
    retryDelayExpression: "1000",
    callback: "https://cb.example.com/c",
    callbackHeader: { "X-C": ["1"] },
    failureCallback: "https://cb.example.com/f",
    labels: ["one", "two"],
    flowControlKey: "key",
    rate: 10,
  };

  // That they are set, describe-rebuild.test.ts shows of each.
  it("are removed by null, and labels by an empty list", () => {
    const changes = {
      queue: null,
      retryDelay: null,
      callback: null,
      failureCallback: null,
      flowControl: null,
    };
    expect(itemOf(original, { ...changes, labels: [] })).toEqual(itemOf({}));
  });

  it("may take away what alone could not be carried", () => {
    expect(parkOf({ labels: ["a,b"] }, { labels: ["c"] })).toBe("none");
    expect(parkOf({ callback: "nowhere" }, { callback: null })).toBe("none");
    const callbackHeader = { A: ["a\nb"] };
    expect(parkOf({ callback: "https://c.example", callbackHeader }, { callback: null })).toBe("none");
  });
});

describe("an edited body", () => {
  const schema3: ItemChanges = { body: { kind: "merge", value: { schema: 3 } } };

  it("breaks a signature unless the rule sets or removes it", () => {
    const fields = { body: '{"schema":2}', header: { "Stripe-Signature": ["t=1"], Digest: ["sha-256=x"] } };
    expect(lossesOf(fields)).toEqual([]);
    expect(lossesOf(fields, schema3)).toEqual(["signed-body"]);
    expect(lossesOf(fields, { ...schema3, headers: { "stripe-signature": null } })).toEqual(["signed-body"]);
    expect(
      lossesOf(fields, { ...schema3, headers: { "stripe-signature": null, DIGEST: "sha-256=y" } }),
    ).toEqual([]);
    expect(lossesOf({ ...fields, body: '{"schema": 3}' }, schema3)).toEqual([]);
    // The service signs anew what it delivers, and its own headers are never forwarded.
    expect(lossesOf({ body: '{"schema":2}', header: { "Upstash-Signature": ["jwt"] } }, schema3)).toEqual([]);
  });
});

const lost = (value: string | readonly string[], changes: ItemChanges = {}, body = '{"a":1}') =>
  lossesOf({ body, header: { "Content-ENCODING": value } }, changes);

describe("a text body under a content encoding of bytes", () => {
  it.each(["gzip", "GZIP", "x-gzip", "deflate", "br", "zstd", "compress", "gzip, identity", "identity,br "])(
    "(%s) is a loss",
    (value) => expect(lost(value)).toEqual(["encoded-body"]),
  );

  it.each(["identity", "", "utf-8", "aws-chunked", "none", "gzipped", "base64"])("(%j) is none", (value) =>
    expect(lost(value)).toEqual([]),
  );
});

describe("what a rebuild tells", () => {
  const partner = { flowControlKey: "p", rate: 5, period: 1 };
  const callback = "https://c.example";
  const failureCallback = "https://f.example";
  const [again, settings] = ["failure-callback-again", "callback-settings"];
  const flowControl = { key: "redriven", rate: 1 };
  it.each<[string, Record<string, unknown>, ItemChanges, readonly string[]]>([
    ["nothing of a plain record", {}, {}, []],
    ["a failure callback", { failureCallback }, {}, [again, settings]],
    ["settings of a callback", { callback }, {}, [settings]],
    ["of two, once", { callback, failureCallback }, { failureCallback: "https://g.example" }, [settings]],
    ["none of callbacks that are removed or new", { callback }, { callback: null, failureCallback }, []],
    ["none of another callback", { callback }, { callback: "https://d.example" }, []],
    ["none that is removed", { failureCallback }, { failureCallback: null }, []],
    ["none that is new", {}, { failureCallback }, []],
    ["a schedule", { scheduleId: "s" }, {}, ["schedule-id"]],
    ["another flow control", partner, { flowControl }, ["flow-control"]],
    ["a flow control that is removed", partner, { flowControl: null }, ["flow-control"]],
    ["nothing of the same", partner, { flowControl: { key: "p", rate: 5, periodMs: 1_000 } }, []],
    ["nothing of one where there was none", {}, { flowControl }, []],
    ["a URL Group", { topicName: "orders" }, {}, ["group-membership"]],
    ["a redaction setting", { header: { "upstash-redact-fields": ["body"] } }, {}, ["redaction"]],
  ])("%s", (_name, fields, changes, losses) => {
    expect(lossesOf(fields, changes)).toEqual(losses);
  });

  it.each<[string, ItemChanges, number, readonly string[]]>([
    ["a delay that a queue refuses", {}, 5_000, ["queue-delay"]],
    ["no delay of a record that leaves its queue", { queue: null }, 5_000, []],
    ["no delay of nothing", {}, 0, []],
  ])("%s", (_name, changes, delayMs, losses) => {
    expect(lossesOf({ queueName: "q" }, changes, { delayMs })).toEqual(losses);
  });
});
