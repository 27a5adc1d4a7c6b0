import { expect, test } from "vitest";
import type { NewAuditEntry } from "../../../../src/job/contracts/audit.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { LaneAnswer, LaneBook, LaneChange, LaneReady } from "../../../../src/job/contracts/lanes.ts";
import { createLanes } from "../../../../src/job/lanes/lanes.ts";
import { config, lane, moved, origin } from "../../../support/lane-stands.ts";
import { drain, source } from "../../../support/ledger-stands.ts";

/** What a lane's book answers, and what the pass book and the log are told for it. */
function stageOf({
  change = { kind: "none" },
  ready = [],
  answer = {},
  isAway = false,
}: {
  readonly change?: LaneChange;
  readonly ready?: readonly LaneReady[];
  readonly answer?: Partial<LaneAnswer> | readonly Partial<LaneAnswer>[];
  readonly isAway?: boolean;
}) {
  const calls: unknown[] = [];
  const noted: NewAuditEntry[] = [];
  const act = (...call: readonly unknown[]): Promise<void> => {
    calls.push(call);
    return isAway ? Promise.reject(new RedriverError("redis-unavailable", "away")) : Promise.resolve();
  };
  const book = {
    checked: () => Promise.resolve(change),
    due: () => Promise.resolve({ watches: [], ready, at: 0 }),
    ask: () => Promise.resolve({ answers: Array.isArray(answer) ? answer : [answer], at: 5_000 }),
    sent: () => Promise.resolve(),
  } as unknown as LaneBook;
  const lanes = createLanes({
    source,
    book,
    clock: { now: () => 1_000_000 },
    events: { emit: ({ type }) => void calls.push(type) },
    audit: { record: (entries) => Promise.resolve(void noted.push(...entries)) },
    by: "daemon pod-7",
    passes: {
      forceFull: (name) => act("forceFull", name),
      listAgain: (name, minutes) => act("listAgain", name, minutes),
    },
  });
  return { lanes, calls, noted };
}

const step = { lane, step: 1 };

const again = ["listAgain", drain, [60_000, 180_000]];
const resumeMinutes = [60_000, 180_000];

const callable = { ready: [{ drain, resumeMinutes }] };
const unplaced = { ready: [{ drain, resumeMinutes: [], wantsFull: true as const }] };
const toFull = ["forceFull", drain];

test.each<[string, Parameters<typeof stageOf>[0], readonly unknown[], readonly unknown[]]>([
  ["what a lane can go on with is called back", callable, [again], [drain]],
  ["and if it could not be called back", { ...callable, isAway: true }, [again], [drain]],
  ["a person's wish without a known place makes the next pass full", unplaced, [toFull], [drain]],
  ["a move calls its places back", { change: moved({ resumeMinutes }) }, [again, "lane:moved"], [drain]],
  ["a move may want a full pass", { change: moved({ wantsFull: true }) }, [toFull, "lane:moved"], [drain]],
  ["a halt wakes nobody", { change: moved({ to: "halted", size: 0 }) }, ["lane:moved"], []],
])("%s, and who is woken is told once", async (_, given, calls, woken) => {
  const stage = stageOf(given);
  await stage.lanes.due();
  await stage.lanes.checked(step, 0, []);
  expect(stage.calls).toEqual(calls);
  expect(stage.lanes.takeReady()).toEqual(woken);
  expect(stage.lanes.takeReady()).toEqual([]);
});

test.each([
  ["canary", "halted", "lane-halted"],
  ["halted", "canary", "lane-resumed"],
  ["ramping", "open", "lane-opened"],
  ["canary", "ramping", null],
] as const)(
  "a move from %s to %s is in the audit as %s, with nothing of a message",
  async (from, to, act) => {
    const { lanes, noted } = stageOf({
      change: moved({ from, to, why: "2 of 5 failed again, 503", comeBacks: 2, resumeMinutes: [60_000] }),
    });
    await lanes.checked(step, 0, []);
    const move = { origin, from, to, why: "2 of 5 failed again, 503", sent: 5, comeBacks: 2 };
    const entry = { act, by: "daemon pod-7", source, drain, lane: move, records: [] };
    expect(noted).toEqual(act === null ? [] : [entry]);
  },
);

test("a halted lane that holds something wants a sweep when its probe is due, told once", async () => {
  const { lanes } = stageOf({ answer: { state: "halted", until: 15_000 } });
  const ask = () => lanes.ask(drain, config, [{ lane, origin, wanted: 1, resumeMinutes: [] }]);
  await ask();
  await ask();
  // Ten seconds by Redis's clock from now, and a little.
  expect(lanes.takeNext()).toEqual([1_010_250]);
  await ask();
  expect(lanes.takeNext()).toEqual([]);
});

test("of several probes, and of several steps that were sent, the first is what is told", async () => {
  const answer = [20_000, 15_000, 30_000].map((until) => ({ state: "halted", until }) as const);
  const { lanes } = stageOf({ answer });
  await lanes.ask(drain, config, []);
  for (const watchMs of [60_000, 2_000, 90_000]) await lanes.sent([{ ...step, roots: ["r"] }], watchMs);
  expect(lanes.takeNext()).toEqual([1_002_250, 1_010_250]);
});

test.each<Partial<LaneAnswer>>([
  { state: "ramping", until: 15_000 },
  { state: "halted", until: 5_000 },
  { state: "open", until: null },
])("an answer like %o wants none", async (answer) => {
  const { lanes } = stageOf({ answer });
  await lanes.ask(drain, config, [{ lane, origin, wanted: 1, resumeMinutes: [] }]);
  expect(lanes.takeNext()).toEqual([]);
});
