import { expect, it } from "vitest";
import {
  toNeedsOfKind,
  type NeedsOfKind,
} from "../../../../../src/people/operations/failures/needs-of-kind.ts";

const halted = { state: "halted", sinceMs: 60_000, sent: 0, size: 1, nextInMs: 240_000 };

/** Counts by drain, and what is said of them: one word for each. */
const said = (
  drains: Readonly<Record<string, number>>,
  { parked = 0, lanes = {}, planned = [], paused = [], ruled = {}, id = "8648802510" }: Partial<Case> = {},
): readonly string[] =>
  toNeedsOfKind({
    failure: {
      id,
      origin: "https://pay.example.com",
      source: "default",
      parked,
      waiting: Object.values(drains).reduce((sum, one) => sum + one, 0),
      drains: Object.entries(drains).map(([drain, waiting]) => ({
        drain,
        waiting,
        ruled: ruled[drain] ?? {},
      })),
    },
    lanes: Object.entries(lanes).map(([drain, lane]) => ({ drain, lane })),
    planned: new Set(planned),
    isPaused: (drain: string) => paused.includes(drain),
  } as unknown as NeedsOfKind).map(
    ({ mood, first }) =>
      `${mood} ${first.kind} ${"drain" in first ? (first.drain ?? "any") : ""}${"lane" in first && first.lane.sent > 0 ? " out" : ""}`,
  );

interface Case {
  readonly parked: number;
  readonly lanes: Readonly<Record<string, unknown>>;
  readonly planned: readonly string[];
  readonly paused: readonly string[];
  /** By drain. */
  readonly ruled: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly id: string;
}

it("probes what is halted first, then what only a person lets go, then what only plans", () => {
  const all = { parked: 2, lanes: { a: halted }, planned: ["b"] };
  expect(said({ a: 5, b: 3 }, all)).toEqual(["bad probe a", "warn parked ", "warn plan b"]);
  expect(said({ a: 5 }, { lanes: { a: { ...halted, sent: 1 } } })).toEqual(["bad probe a out"]);
});

it("says that the rest goes by itself only where nothing is halted, planned or paused", () => {
  expect(said({ a: 5, b: 3 })).toEqual(["good plan a b"]);
  expect(said({ a: 5, b: 3 }, { paused: ["b"] })).toEqual(["good plan a"]);
  expect(said({ a: 5 }, { paused: ["a"] })).toEqual([]);
  expect(said({ a: 5 }, { lanes: { a: halted }, paused: ["a"] })).toEqual([]);
  expect(said({ a: 0 })).toEqual([]);
});

it("says of what rules hold that they do, and offers neither a turn nor a probe", () => {
  const ruled = { a: { "hold otherwise": 5 }, b: { "hold otherwise": 1, "republish outage": 2 } };
  expect(said({ a: 5, b: 3 }, { ruled, lanes: { a: halted } })).toEqual(["warn rules ", "good plan b"]);
});

it("offers no plan of a kind that none can select", () => {
  expect(said({ a: 5, b: 3 }, { id: "other", planned: ["b"] })).toEqual([]);
  expect(said({ a: 5 }, { id: "unreadable", lanes: { a: halted } })).toEqual(["bad probe a"]);
});

it("counts once what two drains list and hold", () => {
  const ofDrain = { waiting: 119, ruled: { "hold otherwise": 119 } };
  const again = { waiting: 119, parked: 0 };
  const drains = [
    { drain: "a", ...ofDrain },
    { drain: "b", ...ofDrain, again },
  ];
  const failure = { id: "8648802510", parked: 0, waiting: 119, drains };
  const given = { failure, lanes: [], planned: new Set(), isPaused: () => false };
  expect(toNeedsOfKind(given as unknown as NeedsOfKind)).toMatchObject([{ what: "119 are held by rules" }]);
  // Its own drain was counted again since some are gone, and it is the total.
  drains[0]!.waiting = 113;
  expect(toNeedsOfKind(given as unknown as NeedsOfKind)).toMatchObject([{ what: "113 are held by rules" }]);
});

it("says of what one drain holds by rules, and another plans, that a plan sends it", () => {
  const drains = [
    { drain: "partners", waiting: 430, ruled: { "hold otherwise": 430 } },
    {
      drain: "crm",
      waiting: 233,
      ruled: { "republish conflict": 233 },
      again: { waiting: 233, parked: 0, ruled: {} },
    },
  ];
  const failure = { id: "8648802510", parked: 0, waiting: 430, drains };
  const given = { failure, planned: new Set(["crm"]), isPaused: () => false };
  const needs = (lanes: readonly object[]) => toNeedsOfKind({ ...given, lanes } as unknown as NeedsOfKind);
  const plan = { kind: "plan", drain: "crm", failure: "8648802510", isHere: true };
  expect(needs([])).toMatchObject([
    { what: "197 are held by rules" },
    { what: "233 could go in drain crm, which only plans", first: plan },
  ]);
  drains[0] = { drain: "partners", waiting: 233, ruled: { "hold otherwise": 233 } };
  expect(needs([{ drain: "crm", lane: halted }])).toMatchObject([
    {
      detail: expect.stringContaining("An apply sends one of them first, as a probe.") as string,
      first: plan,
    },
  ]);
});
