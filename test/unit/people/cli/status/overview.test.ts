import { describe, expect, it } from "vitest";
import { toOverview } from "../../../../../src/people/cli/status/overview.ts";
import type { Status } from "../../../../../src/people/operations/status/read.ts";
import type { DrainName, SourceId } from "../../../../../src/job/contracts/ids.ts";
import {
  haltedLane as halted,
  ago,
  destination,
  drain,
  eu,
  hour,
  minute,
  noneExpire,
  nothingWaits,
  now,
  replica,
  source,
  statusOf,
} from "../../../../support/statuses.ts";

const why = {
  by: "ada",
  at: ago(minute),
  until: now + 3.5 * hour,
  reason: "they restore their database",
} as const;
const pause = { drain: "*", host: "pay.example.com", ...why } as const;

const draining = drain("orders", {
  parked: 12,
  outlook: {
    ...nothingWaits,
    waiting: 12_480,
    stoppedWaiting: 12_000,
    going: 480,
    backlog: 19_835,
    perSecond: 18.2,
    atRateMs: 27_000,
  },
  destinations: [
    destination("https://pay.example.com", 12_000, { failedAgain: 20, lane: halted }),
    destination("https://mail.example.com", 480, { parked: 12 }),
  ],
});

const overview = (changes: Partial<Status>, isColoured = false): string =>
  toOverview({ columns: 80, rows: 24 }, statusOf({ drains: [draining], ...changes }), isColoured);

const verdict = (changes: Partial<Status>): string =>
  (overview(changes).split("\n\n")[0] ?? "").replaceAll(/\s+/g, " ");

describe("the overview of status", () => {
  it("fits 80 x 24, the verdict first, then drains, then destinations by trouble", () => {
    expect(`\n${overview({})}`).toMatchInlineSnapshot(`
      "
      draining: 12,480 of 19,835 left, 18/s, at this rate 480 of them gone in 27s;
      pay.example.com halted, next probe in 4m; 12 parked for a person

      drain   mode  waiting  parked  unproven  oldest  per s  pass
      orders  live    12480      12         0  -          18  in 14s

      destination       waiting  parked  again  since  lane
      pay.example.com     12000       0     20  -      halted, probe in 4m
      mail.example.com      480      12      0  -      -

      as of 12:00:00 UTC: 1 replica, document 0f1e2d3c4b5a; redriver status <drain>
      has the details
      "
    `);
  });

  it("says up to when all that entered is counted, as what came later may still be listed", () => {
    const drains = [43, 41].map((s) => ({ ...draining, countedTo: now - s * 1_000 }));
    expect(overview({ drains })).toContain(
      "\nas of 12:00:00 UTC, counting what entered by 11:59:17 UTC: 1 replica,",
    );
    expect(overview({ drains: [...drains, draining] })).not.toContain("entered");
  });

  it("shows what expires first, and what would save it", () => {
    const group = {
      source: "eu" as SourceId,
      drains: ["orders" as DrainName],
      failure: "4c1d0a9e21",
      owner: null,
      origin: "https://pay.example.com",
      count: 110,
      copied: null,
      inFirstHour: null,
      unsent: 110,
      isUnsentExact: true,
      earliestAt: now + 12 * minute,
      saves: [{ act: "resume", command: "redriver resume --all --reason ..." }],
    } as const;
    const ofNoDrain = { act: "drain", command: null } as const;
    const expiring = {
      count: null,
      atLeast: 119,
      by: now + 24 * hour,
      asOf: null,
      unsent: { atLeast: 119, isExact: false, earliestAt: group.earliestAt },
      groups: [group, { ...group, drains: [], origin: null, count: 9, saves: [ofNoDrain] }],
    };
    const text = overview({ expiring }).split("\n\n")[2];
    expect(`\n${text}`).toMatchInlineSnapshot(`
      "
      expire by 2026-08-02 12:00 UTC: at least 119, still counting
        110 for pay.example.com (orders), the first in 12m: redriver resume --all
        --reason ...
        9 of no drain, the first in 12m: no drain selects these: add one"
    `);
    const over = { ...group, earliestAt: now - minute };
    expect(overview({ expiring: { ...expiring, groups: [over] } })).toMatch(
      /^ {2}at most 110 for pay\.example\.com \(orders\), the first since 11:59/m,
    );
  });

  it("fits 80 x 24 with many drains and destinations too", () => {
    const many = Array.from({ length: 30 }, (_, index) =>
      drain(`a-drain-with-a-long-name-${index}`, {
        ...draining,
        drain: draining.drain,
        destinations: [
          destination(`https://a-very-long-destination-${index}.example.com:8443`, 900, { lane: halted }),
        ],
      }),
    );
    const lines = overview({ drains: many }).split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(overview({ drains: many })).toMatch(
      /^and 25 more destinations: 22,500 waiting, 25 halted or paused$/m,
    );
  });

  it("hides no destination that has most of the backlog, however many are halted", () => {
    const halts = Array.from({ length: 30 }, (_, index) =>
      destination(`https://h${index}.example.com`, 5, { lane: halted }),
    );
    const destinations = [...halts, destination("https://main.example.com", 9_000)];
    const text = overview({ drains: [{ ...draining, destinations }] });
    expect(text).toMatch(/^main\.example\.com +9000 /m);
    expect(text).toMatch(/^and 22 more destinations: 110 waiting, 22 halted or paused$/m);
    // Those that are shown stand by trouble.
    expect(text.indexOf("main.example.com")).toBeGreaterThan(text.indexOf("h0.example.com"));
  });

  it("names no lane where nothing is sent", () => {
    const planned: Partial<Status> = { drains: [{ ...draining, mode: "plan" }] };
    expect(overview(planned)).toMatch(/pay\.example\.com .* plan mode$/m);
    expect(overview(planned)).not.toContain("sends now");
    const held = draining.destinations.map((one) => ({ ...one, isHeldByRules: true }));
    expect(overview({ drains: [{ ...draining, destinations: held }] })).toMatch(
      /pay\.example\.com .* held by rules$/m,
    );
    const canary = draining.destinations.map((one) => ({
      ...one,
      lane: { ...halted, state: "canary" as const },
    }));
    const guards = [{ index: "catalog", effect: "closed" as const }];
    expect(overview({ drains: [{ ...draining, guards, destinations: canary }] })).toMatch(
      /pay\.example\.com .* waits for index catalog$/m,
    );
    expect(overview({ drains: [{ ...draining, guards }] })).toMatch(/pay\.example\.com .* halted, probe/m);
  });

  it("shows a probe that is out as such, with when its result is known", () => {
    const lane = { ...halted, sent: 1, lastProbeAt: Date.UTC(2026, 10, 20, 12, 3, 10) };
    const at = (nextInMs: number) =>
      destination("https://pay.example.com", 12_000, { lane: { ...lane, nextInMs } });
    const [soon, due] = [48_000, 0].map((ms) => ({ drains: [{ ...draining, destinations: [at(ms)] }] }));
    const out = "pay.example.com halted, a probe is out since 12:03:10 UTC,";
    expect(verdict(soon!)).toContain(`${out} answer in 48s at the latest`);
    expect(verdict(due!)).toContain(`${out} its answer is due`);
    expect(overview(due!)).toMatch(/pay\.example\.com .* halted, probe is out\n/);
  });

  it("shows how old the oldest is, since when a destination fails, and until when one is paused", () => {
    const [first, second] = draining.destinations;
    const destinations = [
      { ...first!, failingSince: ago(3 * hour) },
      { ...second!, isPaused: true, pause },
    ];
    const drains = [{ ...draining, oldestRecordAt: ago(5 * hour), stillCounting: true, destinations }];
    const text = overview({ drains });
    expect(text).toMatch(/^drain .* oldest .*\norders .* 12480\+ .* 5h /m);
    expect(text).toMatch(/^destination .* since .*\npay\.example\.com .* 3h /m);
    expect(text).toMatch(/^mail\.example\.com .* paused until 15:30 UTC$/m);
  });

  it("colours the verdict on request, and says nothing by colour alone", () => {
    // oxlint-disable-next-line no-control-regex
    const plain = overview({}, true).replaceAll(/\u001B\[\d+m/g, "");
    expect(overview({}, true)).not.toBe(plain);
    expect(plain).toBe(overview({}));
  });

  it.each([
    ["green", 32, { drains: [drain("orders")] }],
    [
      "amber, as the document from before is in force",
      33,
      { drains: [], replicas: [replica("a", { rejected: "line 3" })] },
    ],
    [
      "amber of a pause by the document",
      33,
      { drains: [{ ...draining, paused: { by: "document" } as const }] },
    ],
    ["red, as nobody can send", 31, { replicas: [halts("a")] }],
  ])("is %s", (_name, code, changes) => {
    expect(overview(changes, true)).toContain(`\u001B[${code}m`);
  });
});

const pausedDrain = { ...draining, paused: { drain: draining.drain, ...why } };
const hostPauses = [{ drain: "*", host: "failure:bf7c0a2b47", ...why } as const];
const ofOutlook = (changes: Partial<typeof nothingWaits>, more: Parameters<typeof drain>[1] = {}) => ({
  drains: [drain("orders", { outlook: { ...nothingWaits, ...changes }, ...more })],
});
const ofSource = (changes: Parameters<typeof source>[0]) => ({
  drains: [drain("orders")],
  sources: [source(changes)],
});
const late = { listed: { at: ago(hour), isLate: true } };
const five = { count: 5, exact: true, stillCounting: false };
const parkedOnly = { drains: [drain("orders", { parked: 3 })] };
const unsent = { ...noneExpire, unsent: { atLeast: 3, isExact: true, earliestAt: now + 40 * minute } };
const unproven = { waiting: 200, waitingForProof: 200, backlog: 200, perSecond: 3 };
const open = { open: 200, triedAgainAt: now + 5 * minute };
const planned = {
  ...drain("payments", { outlook: { ...nothingWaits, waiting: 60, backlog: 60 } }),
  mode: "plan" as const,
};
const allGoes = { ...draining.outlook, stoppedWaiting: 0, going: 12_480 };
const counting = { ...draining, stillCounting: true };
const delivers = (
  standing: "behind" | "unreported" | "watched" | "unwatched",
  undelivered: number | null = null,
) => ({
  drains: [drain("orders")],
  sources: [source({ deliveries: { standing, undelivered } })],
});
const unwatched = "what was sent within the hour may still fail again";
const byAda = "paused by ada until 15:30 UTC: they restore their database";

const halts = (name: string) =>
  replica(name, { resting: [{ source: eu, state: "halted", code: "unauthorised", since: ago(minute) }] });

const mayBeSent = "another document is in force: it may send";
const other = replica("other", { documentHash: "aaaaaaaaaaaa", sameDocument: false });
const notKnown = { drains: [{ ...draining, mode: null }] };

describe("the verdict", () => {
  it.each<[string, Partial<Status>]>([
    ["^all clear: nothing waits, listed 12s ago$", { drains: [drain("orders")] }],
    ["^nothing waits here; the service still has at least 5 to deliver", delivers("behind", 5)],
    ["^nothing waits here; the service still has messages to deliver", delivers("behind")],
    [
      "^nothing waits here; no callback tells of at least 5 that went: do callbacks arrive\\?",
      delivers("unreported", 5),
    ],
    ["^nothing waits here: deliveries are still watched", delivers("watched")],
    [`^nothing waits here: ${unwatched}`, delivers("unwatched")],
    ["^3 parked for a person; nothing else waits$", parkedOnly],
    [
      "^3 expire unless a person acts, the first in 40m; 3 parked for a person; nothing else waits$",
      { ...parkedOnly, expiring: unsent },
    ],
    ["^not running: no replica, 12,480 waiting; 3 expire", { expiring: unsent, replicas: [] }],
    ["^3 expire unless a person acts, the first in 40m; draining: ", { expiring: unsent }],
    ["^not running: no replica, 12,480 waiting", { replicas: [] }],
    ["^plan mode, nothing is sent: 12,480 waiting", { drains: [{ ...draining, mode: "plan" }] }],
    [`^${mayBeSent}, 12,480 waiting, 18/s;`, { ...notKnown, replicas: [other] }],
    [
      `^${mayBeSent}; draining: 12,480 of 19,835 left, 18/s, at`,
      { replicas: [{ ...other, modes: { orders: "live" } }] },
    ],
    [
      "^another document is in force: it sends nothing, 12,480 waiting, 18/s;",
      { drains: [{ ...draining, mode: "plan" }], replicas: [{ ...other, modes: { orders: "plan" } }] },
    ],
    [`^${mayBeSent}$`, { drains: [drain("orders", { mode: null })], replicas: [other] }],
    [`^${mayBeSent}$`, { drains: [drain("new", { lastSuccessAt: null })], replicas: [other] }],
    [`^${mayBeSent}.*; orders ${byAda};`, { drains: [{ ...pausedDrain, mode: null }], replicas: [other] }],
    [
      `^${mayBeSent}.*; 1 replica rejects its drains document and goes on as before;`,
      { ...notKnown, replicas: [{ ...other, rejected: "a.yaml" }] },
    ],
    [
      "^another document is in force in 1 of 2 replicas: it",
      { ...notKnown, replicas: [replica("a"), other] },
    ],
    ["^not running: no replica, 12,480 waiting", { ...notKnown, documentProblems: 1, replicas: [] }],
    ["^paused by the drains document; 12,480", { drains: [{ ...draining, paused: { by: "document" } }] }],
    ["^nothing is sent since 11:59 UTC: .*token; draining", { replicas: [halts("a"), halts("b")] }],
    ["^1 of 2 replicas send nothing since 11:59 UTC: .*token", { replicas: [halts("a"), replica("b")] }],
    ["^starting: no pass has ended yet", { drains: [drain("orders", { lastSuccessAt: null })] }],
    [`^${byAda}; 12,480 waiting;`, { drains: [pausedDrain] }],
    [`; failure bf7c0a2b47 ${byAda};`, { sources: [source({ hostPauses })] }],
    [
      "^waiting: 28 of 5,000 left, none can go now; 28 wait for their next attempt$",
      ofOutlook({ waiting: 28, waitingForAttempt: 28, backlog: 5_000, perSecond: 3 }),
    ],
    [
      "^waiting: 1 of 357 left, none can go now; 1 refused by the service, and tried again after a pause$",
      ofOutlook({ waiting: 1, waitingAfterRefusal: 1, backlog: 357, perSecond: 3 }),
    ],
    [
      "^waiting: 30 of 46 left, none can go now; 30 wait for midnight in UTC, as perDay is reached$",
      ofOutlook({ waiting: 30, waitingForDay: 30, backlog: 46, perSecond: 3 }),
    ],
    [
      "^waiting: 200 of 200 left, 200 wait for proof, tried again from 12:05 UTC$",
      { ...ofOutlook(unproven), sources: [source(open)] },
    ],
    ["^draining: 12,540 of 19,895 left, 60 of them only planned, 18/s,", { drains: [draining, planned] }],
    ["^(?!.*planned)", { drains: [draining, { ...planned, paused: { by: "ada" } as never }] }],
    [
      "^waiting: 14 of 362 left; 5 wait for their own date; 3 held until a person acts$",
      ofOutlook({
        waiting: 14,
        waitingForPerson: 3,
        waitingForDate: 5,
        going: 6,
        backlog: 362,
        perSecond: 0.02,
        atRateMs: 337_000,
      }),
    ],
    ["left, 18/s, at this rate gone in 27s", { drains: [{ ...draining, outlook: allGoes }] }],
    ["; at least 12 parked for a person", { drains: [counting] }],
    [
      "draining: at least 12,480 left, still counting, 18/s; pay.example.com halted",
      { drains: [{ ...counting, outlook: { ...draining.outlook, atRateMs: null } }] },
    ],
    ["^counting: nothing found yet$", ofOutlook({}, { stillCounting: true })],
    ["^counting: nothing found yet$", ofSource({ depth: null })],
    ["^counting: nothing found yet$", ofSource({ depth: { count: 0, exact: false, stillCounting: true } })],
    ["^nothing known waits: not all was listed since 11:00 UTC$", ofSource(late)],
    [
      "^nothing is sent since 11:59 UTC: .*token; nothing known waits: not all was listed since 11:00",
      { ...ofSource(late), replicas: [halts("a")] },
    ],
    [
      "^not running: no replica; nothing known waits: not all was listed since 11:00",
      { ...ofSource(late), replicas: [] },
    ],
    ["^nothing known waits: 5 in the queue are not listed yet$", ofSource({ depth: five })],
    [
      "^nothing waits here; 5 selected by no drain$",
      ofSource({ depth: five, census: { ...source().census!, unselected: 5 } }),
    ],
    [
      "^nothing waits here; 1 replica rejects its",
      { ...ofSource({}), replicas: [replica("a", { rejected: "line 3" })] },
    ],
    [
      "^nothing waits here; 1 replica cannot write to the archive$",
      { ...ofSource({}), replicas: [replica("a", { archive: "full" })] },
    ],
    ["^nothing waits here; nothing new is begun: redriver doctor", { ...ofSource({}), redisFit: false }],
    [
      "^nothing waits here; index catalog holds messages back$",
      ofOutlook({}, { guards: [{ index: "catalog", effect: "closed" }] }),
    ],
    [`^${byAda}; nothing waits here$`, ofOutlook({}, { paused: pausedDrain.paused })],
    ["^plan mode, nothing is sent: nothing waits here$", ofOutlook({}, { mode: "plan" })],
  ])("says %s", (text, changes) => {
    expect(verdict(changes)).toMatch(new RegExp(text));
  });
});
