import { expect, it } from "vitest";
import type { LedgerView } from "../../src/job/contracts/ledger-entries.ts";
import { postHorizonMs } from "../../src/job/contracts/ledger-limits.ts";
import { ledgerLimits, mostInLaneMs, times } from "./document.ts";
import { limitOf, slackMs, stallLimitMs, weighWait, type NamedLimit } from "./waits.ts";

const horizonMs = postHorizonMs(ledgerLimits);
const { takeoverAfter, sweepEvery } = times;

function open(series: { posts?: number; refusals?: number } = {}, lastAt = 0): LedgerView {
  const { posts = 1, refusals = 0 } = series;
  return { state: "open", series: { suffix: 1, firstAt: 0, posts, refusals }, lastAt } as LedgerView;
}
const absent: LedgerView = { state: "absent" };
const doubted = (lastAt = 0) => open({ posts: 2, refusals: 1 }, lastAt);
const published = { state: "published", at: 10_000 } as LedgerView;
const afterExcuse = 100_000 + sweepEvery + slackMs;

/** The last moment of a wait that began at 0, and what excuses it; a moment later it is a stall. */
it.each<
  [
    string,
    LedgerView,
    number,
    string | null,
    { isTried?: true; excusedUntil?: number; others?: number; limit?: NamedLimit; begun?: number },
  ]
>([
  ["what is published", published, 10_000 + stallLimitMs, null, { others: 1_000 }],
  ["what another began again", open({}, takeoverAfter), takeoverAfter + stallLimitMs, "begun again", {}],
  [
    "what a refusal leaves in doubt",
    doubted(),
    horizonMs + sweepEvery + slackMs,
    "in doubt after a refusal",
    {},
  ],
  [
    "what was asked for once more as its window ended",
    doubted(horizonMs - 1),
    horizonMs - 1 + stallLimitMs,
    "in doubt after a refusal",
    {},
  ],
  ["what waits for its turn", absent, stallLimitMs + 1_000, "behind others", { others: 20 }],
  ["what its lane holds", absent, stallLimitMs + mostInLaneMs, "in a lane", { isTried: true }],
  [
    "what a pass reaches late under a limit",
    absent,
    100_000 + sweepEvery + slackMs,
    "under a limit that a 429 named",
    { limit: { perSecond: 4, until: 100_000 }, isTried: true, others: 20 },
  ],
  [
    "what is known by its come-back alone, under a limit",
    { ...published, drain: null } as LedgerView,
    100_000 + sweepEvery + slackMs,
    "under a limit that a 429 named",
    { limit: { perSecond: 4, until: 100_000 } },
  ],
  [
    "what was published, behind ten others under a limit of four calls a second",
    { ...published, drain: "main" } as LedgerView,
    20_000 + stallLimitMs,
    "under a limit that a 429 named",
    { limit: { perSecond: 4, until: 100_000 }, begun: 10 },
  ],
  [
    "what was published, behind a hundred, while the limit is kept to",
    { ...published, drain: "main" } as LedgerView,
    100_000 + sweepEvery + slackMs,
    "under a limit that a 429 named",
    { limit: { perSecond: 4, until: 100_000 }, begun: 100 },
  ],
  ["what is begun, whatever its lane", open(), stallLimitMs, "begun again", { isTried: true }],
  ["what all are excused for", published, afterExcuse, null, { excusedUntil: 100_000 }],
])(
  "%s may wait as long as it has to",
  (_what, view, lastMoment, why, { excusedUntil = 0, others = 0, ...more }) => {
    const weigh = (at: number) => weighWait(view, { from: 0, at, ...more }, excusedUntil, others);
    expect(weigh(lastMoment).stallMs).toBeLessThanOrEqual(stallLimitMs);
    expect(weigh(lastMoment + 1).stallMs).toBe(stallLimitMs + 1);
    expect(weigh(lastMoment + 1).excuse).toBe(why);
  },
);

const ofFour = "4.000 2000.000 0.000 1000.000 0.000 1000.000";
it.each([
  ["is kept to", ofFour, "2000.000", 61_000, { perSecond: 2, until: 61_000 }],
  ["nobody has named for a minute", ofFour, "2000.000", 61_001, null],
  ["is far from used", ofFour, null, 2_000, null],
  ["is none", null, null, 2_000, null],
])("a limit that %s", (_what, rate, paced, at, limit) => expect(limitOf(rate, paced, at)).toEqual(limit));
