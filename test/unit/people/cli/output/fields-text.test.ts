import { expect, test } from "vitest";
import { toFieldsText } from "../../../../../src/people/cli/output/fields-text.ts";
import { drain, now, statusText } from "../../../../support/statuses.ts";

const minute = 60_000;

test("an answer is a line for each field, times and durations as people read them", () => {
  const answer = {
    drain: "orders",
    lastSuccessAt: now - minute,
    nextInMs: 90_000,
    exact: false,
    reasons: { held: { "too-young": 2 }, parked: {} },
    paused: null,
    hosts: ["a.example", "b.example"],
  };
  expect(`\n${toFieldsText(80, answer, now)}`).toMatchInlineSnapshot(`
    "
    drain         orders
    last success  2026-08-01 11:59:00 UTC (1m ago)
    next in       1m30s
    exact         no
    hosts         a.example, b.example

    reasons
      held  too-young 2
    "
  `);
});

test("a list of objects is a table", () => {
  const rows = [
    { host: "a.example", status: 503, count: 12, at: now },
    { host: "b.example", status: null, count: 3, at: now },
  ];
  const table = `top
  host       status  count  at
  a.example     503     12  2026-08-01 12:00
  b.example       -      3  2026-08-01 12:00
`;
  expect(toFieldsText(80, { top: rows }, now)).toBe(table);
  const many = Array.from({ length: 23 }, (_, index) => ({ index }));
  expect(toFieldsText(80, { many }, now)).toMatch(/ 19\n {2}and 3 more, see --json\n$/);
});

test("a table that is too wide has the texts of its last column broken, or what does not fit below its rows", () => {
  const rows = [
    { host: "a-long-name.of-an-example.com", count: 12, spare: 0, why: "it was down and it is not up" },
    { host: "b.example", count: 3, spare: 0, why: "" },
  ];
  expect(`\n${toFieldsText(60, { rows }, now)}${toFieldsText(42, { rows }, now)}`).toMatchInlineSnapshot(`
    "
    rows
      host                           count
      a-long-name.of-an-example.com     12
          why it was down and it is not up
      b.example                          3
    rows
      host                           count
      a-long-name.of-an-example.com     12
          why it was down and it is not up
      b.example                          3
    "
  `);
  expect(toFieldsText(Infinity, { rows }, now).split("\n")).toHaveLength(5);
});

test("what a terminal would act on is spelled out, in lines and in tables", () => {
  const reason = "\u001B[2Kgone";
  const text = toFieldsText(80, { reason, rows: [{ reason }], one: { reason } }, now);
  expect(text).not.toContain("\u001B");
  expect(text.match(/gone/g)).toHaveLength(3);
});

test("what lanes and pauses held in the last passes is not said again: it may be over", () => {
  const held = { "lane-halted": 90, "lane-watched": 4, "host-paused": 3, waiting: 2 };
  const reasons = { due: {}, held, parked: {} };
  expect(statusText({ drains: [drain("orders", { reasons })] })).toMatch(/^ {2}held +waiting 2$/m);
});
