import { expect, test } from "vitest";
import { PlanProgress } from "../../../../../src/people/console/parts/plan-progress.tsx";
import { toShownText } from "../../../../../src/people/cli/plans/command.ts";
import { toLaneWaitText } from "../../../../../src/people/operations/lane-words.ts";
import type { PlanApplyDrain, SharedPlan } from "../../../../../src/job/contracts/plans.ts";

const now = Date.UTC(2026, 10, 20, 10, 15);

function applying(drain: Partial<PlanApplyDrain>, forMs = 120_000): SharedPlan {
  const skipped = { gone: 0, changed: 0, otherwise: 0 };
  const counts = { before: 0, done: 0, left: 0, failedAgain: 0, verdict: null, skipped };
  const one = {
    drain: "orders",
    phase: "applying",
    ...counts,
    skippedExamples: [],
    leftReasons: {},
    wait: null,
  };
  const apply = {
    by: "ann",
    why: "up",
    startedAt: now - forMs,
    endedAt: null,
    drains: [{ ...one, ...drain }],
  };
  const plan = { id: "abc", state: "applying", why: null, by: "ann", drains: ["orders"], filter: {}, apply };
  return { ...plan, making: null, made: null, stoppedBy: null, replica: "r1", createdAt: now } as never;
}

const kindPages = new Map([
  ["aaaaaaaaaa", { href: "/failures/aaaaaaaaaa", words: "503 down" }],
  ["bbbbbbbbbb", { href: "/of-no-drain/eu/bbbbbbbbbb", words: "no answer" }],
]);
type LaneOf = Parameters<typeof PlanProgress>[0]["laneOf"];
const page = async (plan: SharedPlan, toText = toPage, laneOf: LaneOf = () => undefined): Promise<string> =>
  toText(await PlanProgress({ plan, now, halted: { count: 0, isWhole: true }, kindPages, laneOf }));
const toPage = (html: unknown): string => String(html).replaceAll(/<[^>]+>/g, " ");

test("a plan that is ready says what can go at once and what a halt holds, in amber", async () => {
  const made = { records: 5_657, acts: 5_543, decisions: { settle: 5 } };
  const plan = { ...applying({}), state: "ready", apply: null, made } as never;
  const of = async (count: number, isWhole = true) =>
    String(await PlanProgress({ plan, now, halted: { count, isWhole }, kindPages, laneOf: () => undefined }));
  expect(await of(5_538)).toMatch(
    /"verdict warn".*: 5 can go at once; 5,538 wait: their destinations are halted/s,
  );
  expect(await of(5_000, false)).toContain(": at most 543 can go at once; at least 5,000 wait");
  expect(await of(0)).toMatch(
    /"verdict ".*: 5,543 of 5,657 were to be acted on when it was made, 5 sent or dropped before \(only the delete is left\)/s,
  );
});

const applied = (drain: Partial<PlanApplyDrain>): Promise<string> =>
  page({ ...applying({ planned: 5, phase: "ended", ...drain }), state: "applied" }, String);

test("an apply that sent nothing is amber and says why; silence is neither green nor a warning", async () => {
  expect(await applied({ before: 5 })).toMatch(
    /"verdict warn"[^>]*>The plan is applied, but nothing was sent: 5 done before\./,
  );
  const verdict = { state: "told", cameBack: 0, silent: 5, isBad: false, text: "5 sent" } as never;
  expect(await applied({ done: 5, verdict })).toMatch(
    /"verdict "[^>]*>The plan is applied\..*"verdict "[^>]*>orders/s,
  );
});

test("letters that came back lead to the kinds under which they did, the largest first", async () => {
  const kinds = [...kindPages.keys(), "not-met-yet"].map((id, at) => ({ id, count: 3 - at }));
  const verdict = { state: "told", cameBack: 6, silent: 0, isBad: true, text: "6 came back", kinds } as never;
  expect(await applied({ done: 6, verdict })).toContain(
    'They came back as <a href="/failures/aaaaaaaaaa"><bdi>503 down</bdi></a> (3), <a href="/of-no-drain/eu/bbbbbbbbbb"><bdi>no answer</bdi></a> (2).',
  );
});

test("an apply has one sum: done before it, by it, and by others meanwhile", async () => {
  const plan = applying({ planned: 849, before: 177, done: 350, meanwhile: 322 });
  const html = await page(plan);
  expect(html).toMatch(/done before it\s+done by it\s+done by others meanwhile/);
  expect(html).toMatch(/849\s+177\s+350\s+322\s+0\s+0/);
  expect(toShownText(100, { plan, report: null }, now)).toContain(
    "849 of 849 done (177 before it, 350 by it, 322 by others meanwhile)",
  );
  const verdict = { text: "1 sent, 1 came back" } as PlanApplyDrain["verdict"];
  expect(await page(applying({ planned: 5, meanwhile: 1, left: 4, verdict }))).toContain(
    "orders: this apply sent nothing; of what was sent without it,  1 sent, 1 came back",
  );
});

test("a rate is none that was not seen, and what waits for a canary says so", async () => {
  expect(await page(applying({ planned: 5, done: 1, left: 4 }, 150_000))).not.toContain("since it began");
  const batch = applying({ planned: 50, done: 10, left: 40, countedAt: now - 3_000 });
  expect(await page(batch)).toContain("10 of 50 acted on by 10:14:57 UTC, 5 a minute since it began");
  expect(toShownText(100, { plan: batch, report: null }, now)).toContain("10 of 50 done by 10:14:57 UTC, 40");
  expect(await page(applying({ planned: 500, done: 240, left: 260 }))).toContain("2 a second since it began");
  const wait = { reasons: { "lane-watched": 4, guard: 2 }, nextCheckMs: 5_000 };
  const waiting = await page(applying({ planned: 7, done: 1, left: 6, wait }));
  expect(waiting).toContain("orders waits for  lane-watched 4, guard 2, next check in 5s .");
  const lane = {
    state: "halted",
    sinceMs: 0,
    why: null,
    sent: 1,
    nextInMs: 30_000,
    lastProbeAt: now,
  } as const;
  const lanes = [toLaneWaitText({ origin: "https://pay.example.com", due: 4, kept: 0, ...lane }, now)];
  const held = await page(applying({ planned: 7, done: 1, left: 6, wait: { ...wait, lanes } }));
  expect(held).toContain(
    "orders waits for  pay.example.com (4 messages): halted, a probe is out since 10:15:00 UTC, answer at 10:15:30 UTC at the latest; guard 2 .",
  );
  // The apply told it when it last looked, and what the page says beside is of now.
  const due = { ...lane, sent: 0, nextInMs: 0 } as never;
  const laneOf: LaneOf = (drain, destination) =>
    `${drain} ${destination}` === "orders pay.example.com" ? due : undefined;
  expect(
    await page(applying({ planned: 7, done: 1, left: 6, wait: { ...wait, lanes } }), toPage, laneOf),
  ).toContain("orders waits for  pay.example.com (4 messages): halted, next probe now; guard 2 .");
});

test("a drain that has nothing of the plan is left out, unless none has anything", async () => {
  const plan = applying({ planned: 5 });
  const [orders] = plan.apply!.drains;
  const empty = { ...orders!, drain: "partners" as never, planned: 0, phase: "ended" } as PlanApplyDrain;
  const verdict = { state: "told", cameBack: 0, silent: 0, isBad: false, text: "0 discarded" } as never;
  const both = { ...plan, apply: { ...plan.apply!, drains: [orders!, { ...empty, verdict }] } };
  expect(await page(both)).not.toMatch(/partners|0 discarded/);
  expect(await page({ ...plan, apply: { ...plan.apply!, drains: [empty] } })).toContain("partners");
});
