import { expect, it } from "vitest";
import { toNowHeadline } from "../../../../../src/people/operations/status/headline.ts";
import { toNeeds } from "../../../../../src/people/operations/status/needs.ts";
import { sumExpiring } from "../../../../../src/people/operations/status/expiring.ts";
import { toVerdict } from "../../../../../src/people/operations/status/verdict.ts";
import type { Status } from "../../../../../src/people/operations/status/read.ts";

const at = Date.UTC(2026, 10, 20, 10, 17);
const lane = {
  state: "halted",
  sinceMs: 240_000,
  why: null,
  lastProbeAt: null,
  size: 1,
  sent: 0,
  nextInMs: 600_000,
};
const outlook = { waiting: 0, heldByRules: 0, stoppedWaiting: 0, waitingForAttempt: 0, waitingForPerson: 0 };

const replica = (more: object) => ({ rejected: null, resting: [], sameDocument: true, ...more });
const resting = (state: string, code: string) => ({
  waiting: 5,
  replicas: [replica({}), replica({ resting: [{ source: "default", state, code }] })],
});

function status({
  destinations = [] as readonly object[],
  waiting = 0,
  parked = 0,
  mode = "live",
  going = 0,
  perSecond = null as number | null,
  census = null as object | null,
  deliveries = null as object | null,
  expiring = [] as readonly object[],
  replicas = [replica({})] as readonly object[],
  settleGate = "open",
  depth = { count: parked + (census === null ? 0 : 4), stillCounting: false } as object | null,
  listed = { at: at - 12_000, isLate: false },
  servicePauses = [] as readonly object[],
}): Status {
  return {
    at,
    expiring: sumExpiring([{ count: 8, atLeast: 8, by: at, asOf: at, groups: expiring as never }]),
    documentHash: "x",
    documentProblems: 0,
    redisFit: true,
    replicas,
    drains: [
      {
        drain: "orders",
        source: "default",
        mode,
        paused: null,
        parked,
        destinations,
        stillCounting: false,
        guards: [],
        lastSuccessAt: at,
        openPass: null,
        nextPassAt: at,
        failures: [
          { id: "a", waiting: 9, parked: 2, ruled: {} },
          { id: "b", waiting: 2, parked: 1, ruled: {} },
        ],
        outlook: { ...outlook, waiting, going, perSecond, atRateMs: null, backlog: waiting },
      },
    ],
    sources: [
      {
        source: "default",
        census,
        deliveries,
        depth,
        listed,
        brakes: [],
        settleGate,
        hostPauses: [],
        servicePauses,
        failures: [
          { id: "a", origin: "https://pay.example.com", status: 503, text: "no route" },
          { id: "b", origin: "https://pay.example.com", status: 500, text: "oops" },
        ],
      },
    ],
  } as unknown as Status;
}

const halted = (origin: string, waiting: number, pause: object | null = null) => ({
  origin,
  waiting,
  parked: 0,
  lane,
  pause,
  isPaused: pause !== null,
  owners: [] as readonly object[],
  ownersOfKinds: [] as readonly object[],
});

const expires = (failure: string, act: string, unsent = 4) => ({
  drains: ["orders"],
  failure,
  count: 4,
  unsent,
  isUnsentExact: true,
  earliestAt: at + 7_140_000,
  saves: [{ act, command: "" }],
});

const awayWith = (leftMs: number) => ({
  ...resting("waiting", "service-unavailable"),
  expiring: [{ ...expires("a", "probe", 0), source: "default", earliestAt: at + leftMs }],
});

const asked = (forMs: number) => ({ servicePauses: [{ calls: "publish", until: at + forMs }] });
const draining = { waiting: 5, going: 5, perSecond: 2 };

const headlineOf = (one: Status) => toNowHeadline(one, toNeeds(one));

it("a halted destination comes with its receiver's words, what waits, and the probe as the first act", () => {
  const one = status({ destinations: [halted("https://pay.example.com", 11)], waiting: 11, parked: 3 });
  const [first, second] = toNeeds(one);
  expect(first).toEqual({
    mood: "bad",
    what: "Receiver pay.example.com answers 503 no route",
    headline: "halted: pay.example.com fails, 11 wait",
    detail: "11 wait (9 with this answer), halted for 4m",
    first: {
      kind: "probe",
      drain: "orders",
      origin: "https://pay.example.com",
      lane,
      prober: "redriver",
    },
    isTaken: false,
  });
  expect(second).toMatchObject({
    mood: "warn",
    detail:
      "2 got 503 no route, 1 more of other kinds; each reason says what helps: a release, a rule or a discard",
    first: { kind: "parked" },
  });
  expect(headlineOf(one)).toEqual({ mood: "bad", text: "halted: pay.example.com fails, 11 wait", hint: "" });
});

it.each([
  [
    "4 of 5 failed again, 500, 503",
    /^Receiver pay.example.com answers 500 oops$/,
    /^11 wait \(2 with this answer\)/,
  ],
  ["a probe failed again, 503, 500", /answers 503 no route$/, /^11 wait \(9 with/],
  ["a probe failed again, no answer", /^Receiver pay.example.com is halted$/, /^11 wait, halted .*no answer/],
])("a halted destination has the words of what halted it, not of what most got: %s", (why, what, detail) => {
  const one = halted("https://pay.example.com", 11);
  const [first] = toNeeds(status({ destinations: [{ ...one, lane: { ...lane, why } }], waiting: 11 }));
  expect(first).toMatchObject({
    what: expect.stringMatching(what) as string,
    detail: expect.stringMatching(detail) as string,
  });
});

it("what a probe showed has its time, unless another probe is out", () => {
  const why = "a probe failed again, 503";
  const of = (more: object) =>
    toNeeds(
      status({
        destinations: [{ ...halted("https://pay.example.com", 11), lane: { ...lane, why, ...more } }],
      }),
    )[0]?.detail;
  const lastProbeAt = Date.UTC(2026, 10, 20, 10, 2, 3);
  expect(of({ lastProbeAt })).toMatch(/halted for 4m: a probe failed again, 503, sent at 10:02:03 UTC$/);
  expect(of({ lastProbeAt, sent: 1 })).toMatch(/: a probe failed again, 503$/);
});

it("the headline counts what waits behind every halt, and a paused destination is no halt", () => {
  const many = Array.from({ length: 5 }, (_, index) => halted(`https://h${index}.example.com`, 10 + index));
  const one = status({ destinations: [...many, halted("https://own.example.com", 99, { by: "ann" })] });
  expect(toNeeds(one)).toHaveLength(3);
  expect(headlineOf(one).text).toBe("halted: h4.example.com and 4 more fail, 60 wait");
});

const nine = { waiting: 9 };
const rejects = { replicas: [replica({ rejected: "line 3" })] };
const unwritable = { replicas: [replica({ archive: "a full disk" })] };
const byPlan = expires("a", "plan");
const ofTwoKinds = [expires("a", "resume"), expires("b", "release")];

it.each([
  ["nothing is there", {}, "calm", []],
  ["it drains beside parked ones", { waiting: 5, going: 5, perSecond: 2, parked: 1 }, "good", ["parked"]],
  ["only parked ones are left", { parked: 1 }, "warn", ["parked"]],
  ["it waits for its next attempt", { waiting: 5 }, "warn", []],
  ["a drain only plans", { waiting: 5, mode: "plan" }, "warn", ["plan"]],
  ["the service is behind", { deliveries: { standing: "behind", undelivered: 7 } }, "warn", []],
  ["only a plan sends what expires", { ...nine, mode: "plan", expiring: [byPlan] }, "bad", ["plan", "plan"]],
  ["only a person sends what expires", { ...nine, expiring: ofTwoKinds }, "bad", ["expiring"]],
  ["they expire, and a probe lets them go", { waiting: 9, expiring: [expires("a", "probe", 0)] }, "warn", []],
  ["nobody selects some", { census: { expiringUnarchived: 0, unselected: 4 } }, "warn", ["of no drain"]],
  ["nothing was listed lately", { listed: { at: at - 3_600_000, isLate: true } }, "warn", []],
  ["nothing is counted yet", { depth: null }, "warn", []],
  ["a replica rejects its document", rejects, "warn", ["rules"]],
  ["it drains beside that", { ...rejects, waiting: 5, going: 5, perSecond: 2 }, "good", ["rules"]],
  [
    "what only a person sends comes before that",
    { ...rejects, ...nine, expiring: ofTwoKinds },
    "bad",
    ["expiring", "rules"],
  ],
  ["a replica has no archive to write to", unwritable, "warn", ["runbook"]],
  [
    "what expires has no copy by that",
    { ...nine, ...unwritable, expiring: [expires("a", "probe", 0)] },
    "bad",
    ["runbook"],
  ],
  ["deletes are behind", { settleGate: "closed" }, "bad", ["runbook"]],
  ["the service does not answer", resting("waiting", "service-unavailable"), "warn", ["runbook"]],
  ["what expires within the hour waits for a service that is away", awayWith(3_000_000), "bad", ["runbook"]],
  ["what has expired meanwhile was there when the service went", awayWith(-60_000), "bad", ["runbook"]],
  ["what expires tomorrow waits for a service that is away", awayWith(7_200_000), "warn", ["runbook"]],
  ["the service refuses the token", resting("halted", "unauthorised"), "bad", ["runbook"]],
  ["the service limits the rate", resting("waiting", "service-resting"), "warn", []],
  ["it asked for a short pause", { ...draining, ...asked(59_000) }, "good", []],
  ["it asked for a long pause", { ...draining, ...asked(61_000) }, "warn", ["runbook"]],
  ["no replica runs", { replicas: [] }, "bad", []],
  ["a replica has another document", { replicas: [replica({ sameDocument: false })] }, "warn", []],
] as const)("%s", (_name, given, mood, first) => {
  const one = status(given);
  expect(headlineOf(one).mood).toBe(mood);
  expect(toNeeds(one).map((need) => need.first.kind)).toEqual(first);
});

it.each([
  [
    { ...nine, going: 9, perSecond: 1, deliveries: { standing: "behind", undelivered: 7 } },
    "draining: 9 of 9 left, 1/s",
    "Nothing needs a person. The service still has at least 7 to deliver.",
  ],
  [
    { ...nine, deliveries: { standing: "unreported", undelivered: 7 } },
    "no callback tells of at least 7 that went: do callbacks arrive?; 9 wait in the queue",
    "The metric redriver_callbacks_total counts what came, and the log has why it was refused.",
  ],
  [{ waiting: 9, going: 9, perSecond: 2 }, "draining: 9 of 9 left, 2/s", "Nothing needs a person."],
  [{}, "all clear", "Nothing needs a person. Nothing waits, listed 12s ago."],
  [{ depth: null }, "counting: nothing found yet", ""],
  [{ parked: 3 }, "3 are parked: they wait for a person", ""],
])("the headline of %j says that nobody is needed only if so", (given, text, hint) => {
  expect(headlineOf(status(given))).toMatchObject({ text, hint });
});

it("says since when the service is away, as the first that knows it has told", () => {
  const rest = { source: "default", state: "waiting", code: "service-unavailable" };
  const told = (...since: readonly (number | undefined)[]) =>
    headlineOf(status({ replicas: since.map((one) => replica({ resting: [{ ...rest, since: one }] })) }))
      .text;
  expect(told(at - 60_000, at - 120_000)).toBe(
    "the service does not answer since 10:15 UTC: it is tried again within 20 s",
  );
  expect(told(undefined)).toBe("the service does not answer: it is tried again within 20 s");
});

it("says until when the service asked for a pause, and of which calls", () => {
  const { servicePauses: first } = asked(3_600_000);
  const servicePauses = [...first, { calls: "list, delete", until: at + 1_800_000 }];
  const one = status({ waiting: 5, servicePauses });
  const text = "the service asked for a pause until 11:17 UTC (publish) and 10:47 UTC (list, delete)";
  expect(headlineOf(one)).toMatchObject({ mood: "warn", text });
  expect(toVerdict(one)).toContain(`${text}; waiting: 5 of 5 left`);
  expect(toVerdict(status({ servicePauses }))).toBe(`${text}; nothing waits here`);
});

it("what somebody works on comes last, is never red, and is not hidden", () => {
  const owners = [{ name: "priya", at: at - 65 * 60_000 }];
  const taken = { ...halted("https://pay.example.com", 11), owners };
  const words = "Receiver pay.example.com answers 503 no route";
  const alone = status({ destinations: [taken], waiting: 11 });
  expect(toNeeds(alone)).toMatchObject([
    {
      detail: expect.stringMatching(
        /^priya works on it since 09:12 UTC; 11 wait \(9 with this answer\), halted/,
      ) as string,
    },
  ]);
  expect(headlineOf(alone)).toMatchObject({ mood: "warn" });
  const some = { ...taken, owners: [], ownersOfKinds: [{ ...owners[0], failure: "a" }] };
  expect(toNeeds(status({ destinations: [some], waiting: 11 }))).toMatchObject([
    {
      detail: expect.stringMatching(
        /^priya works on 503 no route since 09:12 UTC; nobody works on the others; 11 wait/,
      ) as string,
      isTaken: false,
    },
  ]);
  const other = halted("https://own.example.com", 2);
  const both = status({ destinations: [taken, other], waiting: 13 });
  expect(toNeeds(both).map(({ what, mood, isTaken }) => [what, mood, isTaken])).toEqual([
    ["Receiver own.example.com is halted", "bad", false],
    [words, "warn", true],
  ]);
  expect(headlineOf(both)).toMatchObject({
    mood: "bad",
    text: "halted: own.example.com and 1 more fail, 13 wait",
  });
});

it("a pause of every drain stands over the page, and no halt beside it asks for a probe", () => {
  const one = status({ destinations: [halted("https://pay.example.com", 11)], waiting: 11 });
  const paused = { drain: "*", by: "nina", at: 0, reason: "INC-7" } as never;
  const all = { ...one, drains: one.drains.map((drain) => ({ ...drain, paused })) };
  expect(toNeeds(all)).toMatchObject([{ mood: "warn", first: { kind: "paused" } }]);
  expect(headlineOf(all)).toMatchObject({ mood: "warn", text: expect.stringContaining("paused") as string });
});

it.each([
  [["rule"], "Of them 4 are sent by no rule."],
  [["rule", "resume", "rule"], "Of them 8 are sent by no rule; a pause holds 4."],
  [["drain", "plan"], "Of them 4 are selected by no drain; 4 are in drains that only plan."],
])("says what holds those that expire: %j", (acts, detail) => {
  const expiring = acts.map((act) => expires("a", act));
  expect(toNeeds(status({ expiring }))[0]).toMatchObject({ detail });
});

it.each([
  [null, "What waits goes on with the first answer."],
  [2_280_000, "What waits goes on with the first answer. The first expires in 38m."],
  [-60_000, "What waits goes on with the first answer. Up to 4 have expired since 10:16 UTC."],
])("a service that is away says what expires meanwhile: %s ms", (leftMs, detail) => {
  const { expiring, ...away } = awayWith(leftMs ?? 0);
  expect(toNeeds(status(leftMs === null ? away : { ...away, expiring }))[0]?.detail).toBe(detail);
});

it.each([
  ["hold otherwise", "9 could go in drain orders, which only plans"],
  ["republish outage", "2 could go in drain orders, which only plans"],
])("what a live drain counts could go by a plan if that drain does not send it: %s", (decision, what) => {
  const one = status({ mode: "plan", waiting: 11 });
  const [orders] = one.drains;
  const counted = { again: { waiting: 7 } };
  const failures = [
    { id: "a", waiting: 9, parked: 0, ruled: { "republish outage": 9 }, ...counted },
    { id: "b", waiting: 2, parked: 0, ruled: { "hold otherwise": 2 } },
  ];
  const live = [{ id: "a", waiting: 7, parked: 0, ruled: { [decision]: 7 } }];
  const drains = [
    { ...orders, failures },
    { ...orders, drain: "all", mode: "live", failures: live },
  ];
  expect(toNeeds({ ...one, drains } as never).map((need) => need.what)).toContain(what);
});

it("a halt of a drain that only plans leads to a plan, as nothing else probes there", () => {
  const one = status({ destinations: [halted("https://pay.example.com", 11)], waiting: 11, mode: "plan" });
  expect(toNeeds(one)[0]).toMatchObject({
    mood: "bad",
    detail: expect.stringContaining("orders only plans. An apply sends one of them first") as string,
    first: { kind: "plan", drain: "orders", host: "pay.example.com" },
  });
});

it("a halt that is paused stays, after what is not, and is not probed", () => {
  const pause = { by: "ann", reason: "they move" };
  const own = halted("https://own.example.com", 99, pause);
  const [first, second] = toNeeds(status({ destinations: [own, halted("https://pay.example.com", 11)] }));
  expect(first).toMatchObject({ mood: "bad", first: { kind: "probe" } });
  expect(second).toMatchObject({
    mood: "warn",
    detail: "99 wait, halted for 4m; nothing is tried there, paused by ann: they move",
    first: { kind: "paused" },
  });
});
