import { expect, test } from "vitest";
import type { LaneRow } from "../../../../../src/people/operations/lanes/read.ts";
import { toLanesTable } from "../../../../../src/people/cli/lanes/command.ts";
import { ago, eu, lane, minute, now } from "../../../../support/statuses.ts";

const row = (changes: Partial<LaneRow>): LaneRow => ({
  ...lane({}),
  source: eu,
  lastProbeAt: null,
  waitsFor: null,
  ...changes,
});

const rows = [
  row({
    origin: "https://api.example.com",
    state: "halted",
    since: ago(42 * minute),
    why: "3 of 5 came back, 503",
    nextInMs: 14 * minute + 59_000,
    lastProbeAt: ago(2 * minute),
    totals: { canaries: 13, comeBacks: 8, halts: 2 },
  }),
  row({ state: "halted", origin: "http://b.example:8080", sent: 1, size: 1, nextInMs: 40_000 }),
  row({ state: "halted", origin: "https://p.example", nextInMs: 0, waitsFor: "host paused" }),
  row({ state: "halted", origin: "https://n.example", nextInMs: 0 }),
  row({ state: "canary", why: "5 of 5 came back, 502", size: 5, sent: 5, nextInMs: 45_000 }),
  row({ state: "ramping", origin: "queue:invoices", size: 50, sent: 20, nextInMs: 0 }),
  row({
    state: "ramping",
    origin: "https://c.example",
    size: 50,
    sent: 50,
    nextInMs: 15_000,
    awaitsLook: true,
  }),
  row({ state: "open", origin: "https://d.example", why: "50 of 50 survived" }),
  row({ state: "open", origin: "https://e.example", waitsFor: "host paused" }),
];

test("lanes on a terminal say what each waits for", () => {
  expect(`\n${toLanesTable(80, rows, now)}`).toMatchInlineSnapshot(`
    "
    destination      drain   state    for  next
    api.example.com  orders  halted   42m  probe in 14m59s
        why 3 of 5 came back, 503; last probe 2m ago; 13 canaries, 8 failed again
    b.example:8080   orders  halted   6m   probe is out
        why 0 canaries, 0 failed again
    p.example        orders  halted   6m   host paused
        why 0 canaries, 0 failed again
    n.example        orders  halted   6m   probe now
        why 0 canaries, 0 failed again
    a.example        orders  canary   6m   step in 45s
        why 5 of 5 came back, 502; 0 canaries, 0 failed again
    queue:invoices   orders  ramping  6m   takes 30
        why 0 canaries, 0 failed again
    c.example        orders  ramping  6m   check is due
        why 0 canaries, 0 failed again
    d.example        orders  open     6m   -
        why 50 of 50 survived; 0 canaries, 0 failed again
    e.example        orders  open     6m   host paused
        why 0 canaries, 0 failed again
    "
  `);
});
