import { expect, it } from "vitest";
import type { SourceId } from "../../../../src/job/contracts/ids.ts";
import type { Incident, Notice } from "../../../../src/job/contracts/notices.ts";
import { dueAt, goesOn, toIncident } from "../../../../src/people/notices/incident.ts";
import type { NoticeMemory } from "../../../../src/people/notices/to-notices.ts";

const minuteMs = 60_000;
const everyMs = 5 * minuteMs;
const stepMs = 1_000;

type News = readonly [seconds: number, event: Notice["event"]];

const began: News = [0, "backlog.began"];
const newsOf = (text: string): readonly News[] =>
  text.split(", ").map((one) => [parseInt(one), one.split(" ")[1] as Notice["event"]]);

/** What a target gets of this news, looked at each second: when (s), and how many notices. */
function messagesOf(news: readonly News[], goesOnUntil: number, untilSeconds = goesOnUntil + 1_200) {
  const told: (readonly [seconds: number, events: readonly string[]])[] = [];
  let incident: Incident | null = null;
  let waiting: readonly Notice[] = [];
  for (let now = 0; now <= untilSeconds * 1_000; now += stepMs) {
    const more = news.filter(([seconds]) => seconds * 1_000 === now);
    waiting = [
      ...waiting,
      ...more.map(([, event]) => ({ id: "", event, at: now, source: "eu" as SourceId, items: [], more: 0 })),
    ];
    const [first, ...others] = waiting;
    if (first === undefined) continue;
    const pace = { everyMs, isOver: now / 1_000 >= goesOnUntil };
    if (incident !== null && pace.isOver && now >= incident.until) incident = null;
    if (dueAt([first, ...others], incident, pace) > now) continue;
    incident = toIncident(incident, waiting, pace, now);
    told.push([now / 1_000, waiting.map(({ event }) => event)]);
    waiting = [];
  }
  return told;
}

const steady = (minutes: number): readonly News[] =>
  Array.from({ length: minutes * 6 }, (_, index) => [index * 10, "failure.new"] as const);

it("31 minutes of steady news are four messages, and 80 are too", () => {
  for (const minutes of [31, 80]) {
    const end = minutes * 60;
    const told = messagesOf([[0, "backlog.began"], ...steady(minutes), [end, "backlog.ended"]], end);
    expect(told.map(([seconds]) => seconds)).toEqual([15, 315, 1_515, end]);
    // Nothing is left out.
    expect(told.flatMap(([, events]) => events)).toHaveLength(minutes * 6 + 2);
  }
});

it("is four messages in a day, and goes on with one a day", () => {
  const end = 100_000;
  const news = Array.from({ length: 999 }, (_, index) => [index * 100, "failure.new"] as const);
  expect(messagesOf([...steady(300), [18_000, "backlog.ended"]], 18_000).map(([at]) => at)).toEqual([
    15, 315, 1_515, 18_000,
  ]);
  const told = messagesOf([...news, [end, "backlog.ended"]], end);
  expect(told.map(([seconds]) => seconds)).toEqual([15, 315, 1_515, 1_515 + 86_400, end]);
});

it("tells what is worse out of turn, once an incident, and counts it", () => {
  const halts = newsOf(
    "60 destination.halted, 70 destination.halted, 100 destination.halted, 120 parked.new",
  );
  const expiries = newsOf("300 expiring.soon, 400 expiring.soon");
  const told = messagesOf([began, ...halts, ...expiries, [1_200, "backlog.ended"]], 1_200);
  expect(told).toEqual([
    [15, ["backlog.began"]],
    [75, ["destination.halted", "destination.halted"]],
    [315, ["destination.halted", "parked.new", "expiring.soon"]],
    [1_200, ["expiring.soon", "backlog.ended"]],
  ]);
});

it("what comes soon after an end waits for twice `every`, and is another incident then: a host that flaps", () => {
  const flaps = "120 backlog.ended, 130 backlog.began, 140 backlog.ended, 760 destination.halted";
  const told = messagesOf([began, ...newsOf(flaps), [800, "backlog.began"]], 120, 2_000);
  expect(told.map(([seconds]) => seconds)).toEqual([15, 135, 735, 775, 1_375]);
});

it("a digest comes at its time", () => {
  const told = messagesOf([began, [100, "digest"]], 9_000);
  expect(told.map(([seconds]) => seconds)).toEqual([15, 115]);
});

it("something goes on while a backlog or parks that are being counted do, in the drains of the target", () => {
  const before = { published: 0, failedAgain: 0, parked: 0 };
  const none: NoticeMemory = {
    backlogs: { a: { before } },
    parked: { a: { seen: {}, more: {} } },
    halted: {},
    failures: {},
    expiring: {},
  };
  const began = { ...none, backlogs: { a: { before, beganAt: 1 } } };
  const waits = { ...none, backlogs: { a: { before, waitsSince: 1 } } };
  const parks = { ...none, parked: { a: { seen: {}, more: { x: 1 }, firstAt: 1, lastAt: 1 } } };
  expect([null, none, began, waits, parks].map((memory) => goesOn(memory, {}))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(goesOn(began, { drains: ["b" as never] })).toBe(false);
  // Of what was told at 1, nothing.
  expect([began, waits, parks].map((memory) => goesOn(memory, {}, 1))).toEqual([false, false, false]);
});
