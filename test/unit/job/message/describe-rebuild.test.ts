import type { ItemChanges } from "../../../../src/job/message/item-changes.ts";
import { describe, expect, it } from "vitest";
import { describeRebuild } from "../../../../src/job/message/describe-rebuild.ts";
import type { Show } from "../../../../src/job/message/show-masked-values.ts";
import { letterOf } from "../../../support/letters.ts";
import { itemOf } from "../../../support/rebuilt.ts";

function rowsOf(fields: Record<string, unknown>, changes: ItemChanges, show: Show = "content") {
  const item = itemOf(fields, changes, { delayMs: changes.delay?.ms ?? null });
  return describeRebuild(letterOf(fields), item, { headerPrefix: "Upstash-", show });
}

const textOf = (fields: Record<string, unknown>, changes: ItemChanges, show: Show = "content") =>
  rowsOf(fields, changes, show).map(
    ({ what, change, before, after }) => `${what} ${change}: ${before} → ${after}`,
  );

const full = {
  url: "https://old.example.com/orders?token=s3cret#f",
  queueName: "q",
  header: {
    "X-Keep": ["1", "2"],
    "X-Change": ["old-value"],
    "X-Drop": ["gone-value"],
    "content-type": ["application/json"],
    Host: ["old.example.com"],
    "X-Redriver": ["v1.old.tag"],
    "Upstash-Signature": ["jwt"],
  },
  body: '{ "schema": 2, "list": [1, {"a": "private"}], "old": true }',
  maxRetries: 3,
  retryDelayExpression: "1000",
  callback: "https://user:pw@cb.example.com/c?key=k",
  failureCallback: "https://cb.example.com/f",
  labels: ["one", "two"],
  flowControlKey: "key",
  parallelism: 2,
  rate: 10,
  period: 60,
};

const changes: ItemChanges = {
  destination: { host: "new.example.com" },
  queue: null,
  method: "PUT",
  headers: { "x-change": "new-value", "X-Drop": null, "X-New": "fresh-value" },
  body: { kind: "merge", value: { schema: 3, list: null, more: { b: "new-content" } } },
  delay: { kind: "fixed", ms: 30_000 },
  retries: 1,
  retryDelay: null,
  timeoutMs: 10_000,
  callback: null,
  failureCallback: "https://cb.example.com/g",
  labels: ["three"],
  flowControl: { key: "redriven", rate: 5, periodMs: 1_500 },
};

const listOf = (list: readonly number[]): ItemChanges => ({ body: { kind: "merge", value: { list } } });

describe("what a rebuild changes", () => {
  it("is nothing for a plain redrive, whatever the record says", () => {
    expect(rowsOf(full, {})).toEqual([]);
    expect(rowsOf({}, {})).toEqual([]);
  });

  it("is told row by row", () => {
    expect(textOf(full, changes)).toEqual([
      "destination changed: https://old.example.com/orders?token=s3cret#f → https://new.example.com/orders?token=s3cret#f",
      "queue removed: q → null",
      "method changed: POST → PUT",
      "header x-change changed: old-value → new-value",
      "header X-Drop removed: gone-value → null",
      "header X-New added: null → fresh-value",
      "body /schema changed: 2 → 3",
      'body /list removed: [1,{"a":"private"}] → null',
      'body /more added: null → {"b":"new-content"}',
      "retries changed: 3 → 1",
      "retry delay removed: 1000 → null",
      "timeout added: null → 10s",
      "callback removed: https://user:pw@cb.example.com/c?key=k → null",
      "failure callback changed: https://cb.example.com/f → https://cb.example.com/g",
      "labels changed: one,two → three",
      "flow control changed: key: parallelism=2, rate=10, period=60s → redriven: rate=5, period=2s",
      "delay added: null → 30s",
    ]);
  });

  it("keeps its places and loses its content where it is masked", () => {
    const shown = textOf(full, changes);
    const masked = textOf(full, changes, "masked").slice(0, 10);
    expect(masked.filter((row) => !shown.includes(row))).toEqual([
      "destination changed: https://old.example.com/orders?token=***#*** → https://new.example.com/orders?token=***#***",
      "header x-change changed: *** → ***",
      "header X-Drop removed: *** → null",
      "header X-New added: null → ***",
      "body /schema changed: number → number",
      "body /list removed: array of 2 → null",
      "body /more added: null → object of 1",
    ]);
    expect(JSON.stringify(rowsOf(full, changes, "masked"))).not.toMatch(
      /s3cret|pw|key=k|-value|private|content/,
    );
  });

  it("names members that are content only where content is shown", () => {
    const body = '{"users":{"jane@example.com":1,"plain":1}}';
    const change: ItemChanges = {
      body: { kind: "merge", value: { users: { "jane@example.com": 2, plain: 2 } } },
    };
    const whats = (show: Show) => rowsOf({ body }, change, show).map(({ what }) => what);
    expect(whats("content")).toEqual(["body /users/jane@example.com", "body /users/plain"]);
    expect(whats("masked")).toEqual(["body /users/***", "body /users/plain"]);
  });

  it("compares arrays of one length by element, and others whole", () => {
    expect(textOf({ body: '{"list":[1,2]}' }, listOf([1, 3]))).toEqual(["body /list/1 changed: 2 → 3"]);
    expect(textOf({ body: '{"list":[1,2]}' }, listOf([1]))).toEqual(["body /list changed: [1,2] → [1]"]);
  });

  it("says that a text was written anew where no value differs", () => {
    const body = '{"a":1,"a":2}';
    expect(textOf({ body }, { body: { kind: "merge", value: { a: 2 } } })).toEqual([
      'body changed: {"a":1,"a":2} → {"a":2}',
    ]);
  });

  it("sums up many places, and cuts long values", () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`m${index}`, index]));
    const rows = rowsOf({ body: "{}" }, { body: { kind: "merge", value: many } });
    expect(rows).toHaveLength(51);
    expect(rows.at(-1)?.what).toBe("body, and more places");
    const [row] = rowsOf({ body: "{}" }, { body: { kind: "merge", value: { a: "x".repeat(1_000_000) } } });
    expect(row?.after?.length).toBeLessThan(220);
  });
});
