import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { CapacityQuery, CapacityVerdict } from "../../../../src/job/contracts/capacity.ts";
import type { GuardStanding } from "../../../../src/job/contracts/guards.ts";
import type { LaneAnswer, LaneAsk } from "../../../../src/job/contracts/lanes.ts";
import { grantedForMs } from "../../../../src/job/contracts/ledger-limits.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import { toFailureName } from "../../../../src/job/message/destination-names.ts";
import { askGates } from "../../../../src/job/page/gates.ts";
import type { Letter } from "../../../../src/job/page/letter.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import type { Health } from "../../../../src/job/source/source-health.ts";
import { defaultLimits, drain as name } from "../../../support/ledger-stands.ts";
import { dueLetter, enteredAt, openView } from "../../../support/letters.ts";

const watchMs = 60_000;
/** An answer of Redis is old after this, and a lane's after a twentieth of its watch. */
const oldAfterMs = 500;
const laneOldAfterMs = watchMs / 20;

/** Where letters go, and all that a person may call it. */
const hostNames = ["a.example.com", "a.example.com:443", "https://a.example.com"];
const targets = [
  { host: "a.example.com", origin: "https://a.example.com", rateHost: "a.example.com", names: hostNames },
  {
    host: "b.example.com:8443",
    origin: "https://b.example.com:8443",
    rateHost: "b.example.com:8443",
    names: ["b.example.com", "b.example.com:8443", "https://b.example.com:8443"],
  },
  {
    host: "a.example.com",
    queue: "mails",
    origin: "queue:mails",
    rateHost: "queue:mails",
    names: [...hostNames, "queue:mails"],
  },
] as const;
type Target = (typeof targets)[number];

const views: readonly LedgerView[] = [
  { state: "absent" },
  { state: "cool", dueAt: 0, refusedAlone: 0, attempt: 0, released: false, suffix: 1 },
  openView(),
  openView({ lastAt: enteredAt + 1 }),
  openView({ pastHorizon: true }),
];
const statuses = [503, 422];

interface Sent {
  readonly letter: Letter;
  readonly target: Target;
  readonly isSentAhead: boolean;
  /** An earlier POST may have been accepted, and a POST under the same id can still show it. */
  readonly reconciles: boolean;
}

interface SentFields {
  readonly target: Target;
  readonly view: LedgerView;
  readonly status: number;
  readonly isSentAhead: boolean;
}

/** Built anew for each run: gates write into letters. */
function toSent({ target, view, status, isSentAhead }: SentFields, index: number): Sent {
  const letter = dueLetter({
    dlqId: `${enteredAt + index}-${index}`,
    host: target.host,
    ...("queue" in target ? { queue: target.queue } : {}),
    view,
    listed: {
      messageId: `msg_${index}`,
      responseStatus: status,
      ...(isSentAhead ? { notBefore: enteredAt + 7_200_000 } : {}),
    },
  });
  expect(letter.due.isSentAhead).toBe(isSentAhead);
  return { letter, target, isSentAhead, reconciles: view.state === "open" && !view.pastHorizon };
}

const lettersOf = (all: readonly Sent[]): readonly Letter[] => all.map(({ letter }) => letter);

const failureNames = targets.flatMap((target) =>
  statuses.map((status) => {
    const { letter } = toSent({ target, view: { state: "absent" }, status, isSentAhead: false }, 0);
    return toFailureName(letter.failure.id);
  }),
);

const laneKinds = ["open", "canaries", "probes", "watched", "unknown", "halted"] as const;
type LaneKind = (typeof laneKinds)[number];

/** What gates are asked about. */
interface State {
  readonly guards: readonly GuardStanding["effect"][];
  readonly paused: readonly string[];
  /** By target. */
  readonly lanes: readonly LaneKind[];
  readonly drainPaused: boolean;
  readonly stopping: boolean;
  readonly health: Health;
  /** By target. */
  readonly rates: readonly CapacityVerdict[];
}

/** The parts of a drain that do not change while its letters wait. */
interface Drain {
  readonly hasGuards: boolean;
  readonly hasLanes: boolean;
  readonly hasLimits: boolean;
}

const laneAnswers: Readonly<Record<LaneKind, (wanted: number) => Partial<LaneAnswer>>> = {
  open: (wanted) => ({ state: "open", plain: wanted }),
  canaries: (wanted) => ({ state: "canary", canaries: wanted }),
  probes: (wanted) => ({ state: "halted", canaries: wanted, isSuspect: true }),
  watched: () => ({ state: "ramping" }),
  unknown: () => ({ state: "canary", isUnknown: true }),
  halted: () => ({ state: "halted", isSuspect: true }),
};
const laneHolds: Readonly<Record<LaneKind, string>> = {
  open: "never",
  canaries: "lane-watched",
  probes: "lane-halted",
  watched: "lane-watched",
  unknown: "still-under-way",
  halted: "lane-halted",
};

const atOrigin = (origin: string): number => targets.findIndex((one) => one.origin === origin);
const atRateHost = (host: string): number => targets.findIndex((one) => one.rateHost === host);

/** A drain of interfaces, and what capacity was asked for. */
function createStage({ hasGuards, hasLanes, hasLimits }: Drain) {
  let now = 0;
  let state: State;
  const requests: CapacityQuery["requests"][number][] = [];
  const source = {
    config: { id: "eu" },
    clock: { monotonic: () => now },
    ledger: { limits: defaultLimits },
    deliveryWatch: { isOn: () => false },
    guards: {
      standings: () =>
        Promise.resolve(
          state.guards.map((effect, index) => ({ index: `i${index}`, field: "f", effect, value: 1 })),
        ),
    },
    pausesOf: () => Promise.resolve(state.paused.map((host) => ({ host, drain: name }))),
    lanes: {
      ask: (_name: string, _lane: object, asks: readonly LaneAsk[]) => {
        const none = {
          canaries: 0,
          plain: 0,
          avoid: [],
          mayRepeat: true,
          isSuspect: false,
          isUnknown: false,
        };
        const answers = asks.map(({ origin, wanted }) => {
          return { ...none, step: 3, until: null, ...laneAnswers[state.lanes[atOrigin(origin)]!](wanted) };
        });
        return Promise.resolve({ answers, at: 0 });
      },
      giveBack: () => Promise.resolve(),
    },
    health: { current: () => state.health },
    capacity: {
      take: (query: CapacityQuery) => {
        requests.push(...query.requests);
        const verdicts = query.requests.map(({ host }) => state.rates[atRateHost(host)]!);
        return Promise.resolve({ verdicts, at: 1_000 });
      },
    },
  };
  const config = {
    name,
    guards: hasGuards ? [{}] : [],
    ...(hasLanes ? { lane: { watchMs } } : {}),
    limits: hasLimits ? { publish: { count: 1, perMs: 1_000 } } : {},
    rules: [],
  };
  return {
    requests,
    async ask(letters: readonly Letter[], given: State, atMs: number): Promise<readonly Letter[]> {
      now = atMs;
      state = given;
      const drain = { config: { ...config, paused: state.drainPaused }, source } as unknown as DrainRuntime;
      const signal = state.stopping ? AbortSignal.abort() : new AbortController().signal;
      return askGates(drain, letters, signal);
    },
  };
}

type Reasons = ReturnType<typeof reasonsFor>;

/** `sinceMs`: since it passed them all; Infinity: it was never asked. */
function reasonsFor(
  { letter, target, isSentAhead, reconciles }: Sent,
  { hasGuards, hasLanes, hasLimits }: Drain,
  { guards, paused, lanes, drainPaused, stopping, health, rates }: State,
  sinceMs: number,
) {
  const index = targets.indexOf(target);
  const isOld = sinceMs > oldAfterMs;
  const names: readonly string[] = [...target.names, toFailureName(letter.failure.id)];
  const lane = lanes[index]!;
  const toLane = (): string | null => {
    if (!hasLanes) return null;
    if (letter.sendAs !== null) return sinceMs > grantedForMs(defaultLimits) ? "lane-watched" : null;
    if (sinceMs <= laneOldAfterMs || lane === "open") return null;
    return !isSentAhead && (lane === "canaries" || lane === "probes") ? null : laneHolds[lane];
  };
  const toHealth = (): string | null => {
    if (drainPaused) return "paused";
    if (stopping) return "stopping";
    if (health.state === "usable") return null;
    if (health.state === "waiting") return "not-sent";
    const refusesAll = health.code === "service-refuses-everything" && health.callClass === "batch";
    return refusesAll && reconciles ? null : "source-halted";
  };
  const verdict = rates[index]!;
  return {
    guard: hasGuards && isOld && guards.includes("closed") ? "guard" : null,
    pause: isOld && names.some((one) => paused.includes(one)) ? "host-paused" : null,
    lane: toLane(),
    health: toHealth(),
    capacity: hasLimits && isOld && verdict.kind !== "granted" ? `no capacity: ${verdict.by}` : null,
  };
}

/** By the law: the first gate that has a reason. Null: it goes. */
function expectedOf(sent: Sent, { guard, pause, lane, health, capacity }: Reasons): string | null {
  return sent.reconciles ? (health ?? capacity) : (guard ?? pause ?? lane ?? health ?? capacity);
}

function foundOf({ fate, wait }: Letter): string | null {
  if (fate !== null) return fate.kind === "held" ? fate.decision.reason : fate.kind;
  return wait === null ? null : `no capacity: ${wait.verdict.by}`;
}

const isAsked = (sent: Sent, { hasLimits }: Drain, reasons: Reasons, sinceMs: number): boolean =>
  hasLimits && sinceMs > oldAfterMs && expectedOf(sent, { ...reasons, capacity: null }) === null;

const pages = fc.array(
  fc.record({
    target: fc.constantFrom(...targets),
    view: fc.constantFrom(...views),
    status: fc.constantFrom(...statuses),
    isSentAhead: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

const halts: fc.Arbitrary<Health> = fc.record({
  state: fc.constant("halted"),
  callClass: fc.constantFrom("dlq", "batch"),
  code: fc.constantFrom("service-refuses-everything", "answer-unreadable", "unauthorised"),
  message: fc.constant(""),
  since: fc.constant(0),
  onTrial: fc.boolean(),
  failedTrials: fc.nat({ max: 2 }),
});
const verdicts: fc.Arbitrary<CapacityVerdict> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: "granted" } as const) },
  fc.record({
    kind: fc.constant("wait"),
    by: fc.constantFrom("publish", "host", "rule", "service"),
    until: fc.nat(),
  }),
  fc.record({ kind: fc.constant("ceiling"), by: fc.constantFrom("pass", "day"), until: fc.constant(null) }),
);
const seldom = fc.nat({ max: 7 }).map((n) => n === 0);

/** Most of its parts hold nothing, so that each gate is the first with a reason often enough. */
const states: fc.Arbitrary<State> = fc.record({
  guards: fc.array(fc.constantFrom("open", "open", "open", "closed"), { minLength: 1, maxLength: 2 }),
  paused: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    fc.subarray([...new Set(targets.flatMap(({ names }) => names))], { maxLength: 1 }),
    fc.subarray([...new Set(failureNames)], { maxLength: 2 }),
  ),
  lanes: fc.array(fc.constantFrom("open", "open", ...laneKinds), { minLength: 3, maxLength: 3 }),
  drainPaused: seldom,
  stopping: seldom,
  health: fc.oneof(
    { weight: 3, arbitrary: fc.constant({ state: "usable" } as const) },
    fc.constant({ state: "waiting", until: 1 } as const),
    halts,
  ),
  rates: fc.array(verdicts, { minLength: 3, maxLength: 3 }),
});
const drains: fc.Arbitrary<Drain> = fc.record({
  hasGuards: fc.boolean(),
  hasLanes: fc.boolean(),
  hasLimits: fc.boolean(),
});
const bounds = [oldAfterMs, laneOldAfterMs, grantedForMs(defaultLimits)];
const ages = fc.constantFrom(0, ...bounds, ...bounds.map((ms) => ms + 1));

it("the gates hold each letter by the first that has a reason, and ask again, each when its answer is old; one that reconciles passes guard, pause and lane", async () => {
  const met = new Set<string>();
  await fc.assert(
    fc.asyncProperty(pages, drains, states, states, ages, async (page, drain, state, later, ageMs) => {
      const all = page.map(toSent);
      const stage = createStage(drain);
      /** What the gates hold by the law, and what they do. Answers those that go. */
      const ask = async (some: readonly Sent[], given: State, sinceMs: number, grantedAt?: number) => {
        const reasons = some.map((sent) => reasonsFor(sent, drain, given, sinceMs));
        const expected = some.map((sent, index) => expectedOf(sent, reasons[index]!));
        const asked = some.filter((sent, index) => isAsked(sent, drain, reasons[index]!, sinceMs));
        stage.requests.length = 0;
        const free = await stage.ask(lettersOf(some), given, sinceMs === Infinity ? 0 : sinceMs);
        expect(some.map(({ letter }) => foundOf(letter))).toEqual(expected);
        const passed = some.filter((_, index) => expected[index] === null);
        expect(free).toEqual(lettersOf(passed));
        // What an earlier gate holds takes no capacity, and a grant is moved to now.
        expect(stage.requests.map(({ host, grantedAt: at }) => [host, at])).toEqual(
          asked.map(({ target }) => [target.rateHost, grantedAt]),
        );
        return { expected, passed };
      };
      const { expected, passed } = await ask(all, state, Infinity);
      expect(all.filter(({ reconciles, letter }) => reconciles && letter.sendAs !== null)).toEqual([]);
      for (const [index, { reconciles }] of all.entries()) {
        met.add(`${reconciles ? "again" : "first"}: ${expected[index]}`);
      }
      if (passed.length > 0) await ask(passed, later, ageMs, 1_000);
    }),
    // 400 runs did not always meet a letter of the rarest reason.
    { numRuns: 2_000 },
  );
  // Each of them was the first reason of some letter.
  const reasons = ["null", "paused", "stopping", "not-sent", "source-halted", "no capacity: publish"];
  const firstOnly = ["guard", "host-paused", "lane-halted", "lane-watched", "still-under-way"];
  expect([...met]).toEqual(
    expect.arrayContaining([
      ...reasons.flatMap((one) => [`first: ${one}`, `again: ${one}`]),
      ...firstOnly.map((one) => `first: ${one}`),
    ]),
  );
  expect(firstOnly.filter((one) => met.has(`again: ${one}`))).toEqual([]);
});
