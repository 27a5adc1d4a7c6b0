import * as fc from "fast-check";
import { test, expect } from "vitest";
import type { LaneConfig } from "../../../../../src/job/contracts/drains-document.ts";
import { createLaneStand, grantLifeMs, type LaneStand } from "../../../../support/lane-stands.ts";
import { useRedis } from "../../../../support/redis.ts";
import { casesOf } from "../../../../support/fuzzing.ts";
import type { ServiceLoad } from "../../../../../src/job/contracts/service.ts";
import type {
  LaneChange,
  LaneComeBack,
  LaneTotals,
  LaneView,
} from "../../../../../src/job/contracts/lanes.ts";
import { drain } from "../../../../support/ledger-stands.ts";

const redis = useRedis();

/**
 * Several workers ask few lanes, publish, give back, check listings and record come-backs in any order; a
 * worker may do none of it, or late. The model knows nothing of how a lane is judged. It knows what was
 * granted, published and found, by a clock that is never set back, and compares every answer with
 * docs/lanes.md.
 */
const lanes = ["laneA", "laneB"];

interface Grant {
  readonly lane: string;
  readonly step: number;
  readonly at: number;
  readonly count: number;
  left: number;
  sent: number;
  /** Of a halted lane: which halt it was. */
  readonly halt: number | null;
}

const newStep = ({ state, size }: LaneView, firstAt: number) => ({
  state,
  size,
  firstAt,
  lastSentAt: -Infinity,
  down: new Set<string>(),
  back: new Set<string>(),
  delivered: new Set<string>(),
  /** When the service said that nothing waits, and how long what it had begun may still take. */
  cleared: null as { readonly elapsed: number; readonly endsIn: number } | null,
});
type KnownStep = ReturnType<typeof newStep>;

type Model = ReturnType<typeof newModel>;

function newModel(config: LaneConfig) {
  return {
    config,
    /** Of a clock that is never set back. */
    elapsed: 0,
    grants: [] as Grant[],
    steps: new Map<string, KnownStep>(),
    /** Redis times that were read, with when. */
    looks: [] as { readonly at: number; readonly elapsed: number }[],
    counted: new Map(lanes.map((lane) => [lane, new Set<string>()])),
    totals: new Map<string, LaneTotals>(),
    /** Asked for, by lane. */
    records: new Map<string, number>(),
    /** Told by lane, and not handed out since. */
    resumeMinutes: new Map(lanes.map((lane) => [lane, new Set<number>()])),
    minted: 0,
    /** Steps from before it took messages for longer: nobody knows what time had passed. */
    setBackAt: -Infinity,
  };
}

const keyOf = (lane: string, step: number): string => `${lane} ${step}`;

async function viewsOf(model: Model, real: LaneStand): Promise<ReadonlyMap<string, LaneView>> {
  const { lanes: views } = await real.book.views(10);
  for (const { lane, totals } of views) {
    const before = model.totals.get(lane) ?? { canaries: 0, comeBacks: 0, halts: 0 };
    expect(totals.canaries).toBeGreaterThanOrEqual(before.canaries);
    expect(totals.comeBacks).toBeGreaterThanOrEqual(before.comeBacks);
    expect(totals.halts).toBeGreaterThanOrEqual(before.halts);
    // Each parent counts once, whoever lists it and how often.
    expect(totals.comeBacks).toBeLessThanOrEqual(model.counted.get(lane)!.size);
    model.totals.set(lane, totals);
  }
  await checkBusiest(model, real);
  return new Map(views.map((view) => [view.lane, view]));
}

/** None of the lanes is forgotten here. */
async function checkBusiest(model: Model, real: LaneStand): Promise<void> {
  const { lanes: busiest, totals } = await real.book.busiest(10);
  const sum = { canaries: 0, comeBacks: 0, halts: 0 };
  for (const one of model.totals.values()) {
    sum.canaries += one.canaries;
    sum.comeBacks += one.comeBacks;
    sum.halts += one.halts;
  }
  expect(totals).toEqual(sum);
  const records = busiest.map(({ lane }) => model.records.get(lane)!);
  expect(records).toEqual(records.toSorted((a, b) => b - a));
  expect(busiest).toHaveLength(model.records.size);
  const [first] = busiest;
  expect((await real.book.busiest(1)).lanes).toEqual(first === undefined ? [] : [first]);
}

const isLive = (model: Model, grant: Grant): boolean => model.elapsed - grant.at <= grantLifeMs;

/** What was published of a step, and what still may be. */
function takenOf(model: Model, lane: string, step: number): number {
  return model.grants
    .filter((grant) => grant.lane === lane && grant.step === step)
    .reduce((sum, grant) => sum + grant.sent + (isLive(model, grant) ? grant.left : 0), 0);
}

function sentOf(model: Model, lane: string, step: number): number {
  return model.grants
    .filter((grant) => grant.lane === lane && grant.step === step)
    .reduce((sum, grant) => sum + grant.sent, 0);
}

/** No more than docs/lanes.md has for the state. */
function checkGrant(model: Model, view: LaneView, grant: Grant): void {
  const { canary, watchMs, probeEveryMs } = model.config;
  const key = keyOf(grant.lane, grant.step);
  const step = model.steps.get(key) ?? newStep(view, model.elapsed);
  const taken = takenOf(model, grant.lane, grant.step);
  // Grants from before the clock was set back may count for longer.
  const isTimed = step.firstAt > model.setBackAt;
  if (isTimed && taken === 0 && step.back.size + step.delivered.size === 0) step.firstAt = model.elapsed;
  model.steps.set(key, step);
  const elapsed = model.elapsed - step.firstAt;
  expect(view.step).toBe(grant.step);
  expect(step.state).toBe(view.state);
  const paced = Math.max(1, Math.ceil((10 * canary * Math.min(elapsed, watchMs)) / watchMs));
  const most = { canary, ramping: step.size, open: paced, halted: 1 }[view.state];
  // Only reports show anything, and none came in its watch.
  const isFresh =
    model.config.byReport === true &&
    view.state !== "open" &&
    model.elapsed >= step.lastSentAt + watchMs &&
    grant.count === 1;
  if (!isFresh) expect(taken + grant.count).toBeLessThanOrEqual(most);
  if (view.state === "ramping") expect(step.size).toBeLessThan(Math.max(model.config.openFrom, canary + 1));
  if (isTimed && !isFresh && view.state !== "open" && sentOf(model, grant.lane, grant.step) > 0) {
    expect(elapsed).toBeLessThan(watchMs / 2);
  }
  if (view.state === "halted") {
    const ofHalt = model.grants.filter(
      ({ lane, halt, left, sent }) => lane === grant.lane && halt === grant.halt && left + sent > 0,
    );
    for (const { at } of ofHalt) expect(grant.at - at).toBeGreaterThanOrEqual(probeEveryMs);
  }
}

/** A step moved on, and why it was right to. */
function checkMove(
  model: Model,
  step: number,
  change: LaneChange,
  look: { readonly elapsed: number } | null,
): void {
  if (change.kind === "none") return;
  const { lane, from, to, sent, comeBacks, resumeMinutes } = change;
  checkResumeMinutes(model, [lane], resumeMinutes);
  if (to === "halted" || to === "open") expect(resumeMinutes).toEqual([]);
  if (to === "open" || to === "halted") expect(change.wantsFull).toBe(to === "open");
  if (resumeMinutes.length > 0) expect(change.wantsFull).toBe(false);
  if (to === "open") model.resumeMinutes.get(lane)!.clear();
  const known = model.steps.get(keyOf(lane, step))!;
  const published = sentOf(model, lane, step);
  expect(comeBacks).toBe(known.back.size);
  if (change.why.includes("after their watch")) {
    expect(known.down.size).toBeGreaterThan(model.config.haltAt * sent + 1e-9);
    expect(to).toBe("halted");
    return;
  }
  expect(known.state).toBe(from);
  if (change.why === "nothing is known of its canaries") {
    expect([from, to, model.config.byReport, known.delivered.size]).toEqual(["open", "canary", true, 0]);
    return;
  }
  expect(sent).toBeGreaterThanOrEqual(published);
  expect(sent).toBeGreaterThan(0);
  if (to === "halted") {
    const whole = Number(/^\d+ of (\d+) /.exec(change.why)?.[1]);
    expect(whole).toBeGreaterThanOrEqual(published);
    const isTooMany = known.down.size > model.config.haltAt * whole + 1e-9 || known.down.size >= whole;
    expect(isTooMany || (known.back.size >= whole && whole >= 3)).toBe(true);
    return;
  }
  const { cleared } = known;
  const isCleared = look !== null && cleared !== null && look.elapsed >= cleared.elapsed + cleared.endsIn;
  const { byReport, byAsking, canary } = model.config;
  const needsMore = (byReport === true || byAsking === true) && !isCleared;
  const isOver = look !== null && published > 0 && look.elapsed >= known.lastSentAt + model.config.watchMs;
  const isReported = byReport === true && (known.delivered.size > 0 || from === "halted");
  const isSilent = isOver && (!needsMore || isReported);
  if (isSilent && needsMore && to !== "open" && from !== "halted") {
    expect(change.size).toBeLessThanOrEqual(Math.max(canary, 10 * (known.delivered.size + known.back.size)));
  }
  const isProven = known.back.size + known.delivered.size >= published;
  const isLookedAtProof = look !== null && published === 0 && known.back.size + known.delivered.size > 0;
  expect(isSilent || isProven || isLookedAtProof).toBe(true);
  if (from === "halted") {
    expect(["canary", "ramping"]).toContain(to);
  } else {
    expect(known.down.size).toBeLessThanOrEqual(model.config.haltAt * sent + 1e-9);
    expect(known.back.size).toBeLessThan(sent);
  }
}

/** It did not halt, so not too many of a step that is remembered are back. */
function checkNoHalt(model: Model, view: LaneView | undefined): void {
  if (view === undefined || view.state === "halted") return;
  const known = model.steps.get(keyOf(view.lane, view.step));
  if (known === undefined) return;
  const whole = Math.max(view.size, takenOf(model, view.lane, view.step), view.sent);
  expect(known.down.size).toBeLessThanOrEqual(model.config.haltAt * whole + 1e-9);
  expect(known.down.size).toBeLessThan(whole);
}

type Command = fc.AsyncCommand<Model, LaneStand>;

function command(text: string, run: Command["run"]): Command {
  return { check: () => true, run, toString: () => text };
}

/** Each place is told by one lane, is handed out once, and no more of them at once than a lane remembers. */
function checkResumeMinutes(model: Model, of: readonly string[], resumeMinutes: readonly number[]): void {
  expect(resumeMinutes.length).toBeLessThanOrEqual(12 * of.length);
  for (const place of resumeMinutes) {
    const lane = of.find((one) => model.resumeMinutes.get(one)!.delete(place));
    expect(lane).toBeDefined();
  }
}

/** No two lanes have one in common. */
const minutesOf = (which: number, minutes: readonly number[]): readonly number[] =>
  minutes.map((minute) => (minute * lanes.length + which) * 60_000);

const toAsk = (which: number, wanted: number, minutes: readonly number[]): Command =>
  command(`ask ${which} ${wanted} ${minutes}`, async (model, real) => {
    const lane = lanes[which]!;
    const resumeMinutes = minutesOf(which, minutes);
    const ask = { lane, origin: `https://${lane}`, wanted, resumeMinutes };
    const { answers, at } = await real.book.ask(drain, model.config, [ask]);
    model.looks.push({ at, elapsed: model.elapsed });
    if (wanted > 0) model.records.set(lane, (model.records.get(lane) ?? 0) + wanted);
    const [answer] = answers;
    const views = await viewsOf(model, real);
    expect(answer!.canaries + answer!.plain).toBeLessThanOrEqual(wanted);
    if (answer!.state !== "open") expect(answer!.plain).toBe(0);
    // All of it, or nothing while nobody looks.
    if (answer!.state === "open") expect([0, wanted]).toContain(answer!.canaries + answer!.plain);
    // Kept where some of it is denied, and of a halted lane.
    if (answer!.canaries + answer!.plain < wanted || answer!.state === "halted")
      for (const place of resumeMinutes) model.resumeMinutes.get(lane)!.add(place);
    if (answer!.canaries === 0) return;
    const view = views.get(lane)!;
    const grant: Grant = {
      lane,
      step: answer!.step,
      at: model.elapsed,
      count: answer!.canaries,
      left: answer!.canaries,
      sent: 0,
      halt: view.state === "halted" ? view.totals.halts : null,
    };
    checkGrant(model, view, grant);
    model.grants.push(grant);
  });

const pickGrant = (model: Model, pick: number): Grant | undefined => model.grants.at(-1 - pick);

const toSend = (pick: number, most: number): Command =>
  command(`sent ${pick} ${most}`, async (model, real) => {
    const grant = pickGrant(model, pick);
    const count = Math.min(most, grant?.left ?? 0);
    if (grant === undefined || count === 0) return;
    const roots = Array.from({ length: count }, () => `r${(model.minted += 1)}`);
    await real.book.sent([{ lane: grant.lane, step: grant.step, roots }]);
    grant.left -= count;
    grant.sent += count;
    const known = model.steps.get(keyOf(grant.lane, grant.step))!;
    known.lastSentAt = model.elapsed;
    known.cleared = null;
  });

const toGiveBack = (pick: number, most: number, minutes: readonly number[]): Command =>
  command(`giveBack ${pick} ${most} ${minutes}`, async (model, real) => {
    const grant = pickGrant(model, pick);
    if (grant === undefined) return;
    const { lane, step } = grant;
    const count = Math.min(most, grant.left);
    const resumeMinutes = minutesOf(lanes.indexOf(lane), minutes);
    await real.book.giveBack([{ lane, step, count, resumeMinutes }]);
    grant.left -= count;
    for (const place of resumeMinutes) model.resumeMinutes.get(lane)!.add(place);
  });

interface Found {
  readonly pick: number;
  readonly count: number;
  readonly kind: LaneComeBack["kind"];
  readonly status: number;
}

/** Of those that were published, so many: first those that were counted before. */
function find(model: Model, { pick, count, kind, status }: Found) {
  const grant = pickGrant(model, pick);
  if (grant === undefined) return null;
  const { lane, step } = grant;
  const known = model.steps.get(keyOf(lane, step))!;
  const most = Math.min(count, sentOf(model, lane, step));
  const parents = Array.from({ length: most }, (_, index) => `${lane}-${step}-${index}`);
  for (const parent of parents) {
    model.counted.get(lane)!.add(parent);
    if (kind === "again") {
      // Answered, unless it has failed as well.
      if (!known.back.has(parent)) known.delivered.add(parent);
      continue;
    }
    known.delivered.delete(parent);
    if (!known.back.has(parent) && kind === "down") known.down.add(parent);
    known.back.add(parent);
  }
  const comeBacks = parents.map((parentDlqId) => ({ lane, step, parentDlqId, kind, status }));
  return { lane, step, comeBacks };
}

const toRecordComeBacks = (found: Found): Command =>
  command(`recordComeBacks ${JSON.stringify(found)}`, async (model, real) => {
    const before = await viewsOf(model, real);
    const counted = new Map([...model.counted].map(([lane, parents]) => [lane, parents.size]));
    const met = find(model, found);
    if (met === null) return;
    const { lane, step, comeBacks } = met;
    const changes = await real.book.recordComeBacks(comeBacks);
    for (const change of changes) checkMove(model, step, change, null);
    const view = (await viewsOf(model, real)).get(lane);
    checkNoHalt(model, view);
    const { totals, step: current } = before.get(lane)!;
    const more = model.counted.get(lane)!.size - counted.get(lane)!;
    if (current === step) expect(view!.totals.comeBacks).toBe(totals.comeBacks + more);
  });

/** `load`: what the service said, after the look. */
const toCheck = (found: Found, ago: number, load: ServiceLoad | null = null): Command =>
  command(`checked ${JSON.stringify(found)} ${ago} ${JSON.stringify(load)}`, async (model, real) => {
    const look = model.looks.at(-1 - ago);
    const met = look === undefined ? null : find(model, found);
    if (met === null || look === undefined) return;
    const { lane, step, comeBacks } = met;
    const known = model.steps.get(keyOf(lane, step))!;
    if (load !== null && "count" in load && load.count < load.max) {
      const [elapsed, endsIn] =
        load.count === 0 ? [look.elapsed, 0] : [model.elapsed, (model.config.watchMs * 3) / 4];
      known.cleared = { elapsed, endsIn };
    }
    const change = await real.book.checked({ lane, step }, look.at, comeBacks, load ?? undefined);
    checkMove(model, step, change, look);
    checkNoHalt(model, (await viewsOf(model, real)).get(lane));
  });

const toDeliver = (pick: number, index: number): Command =>
  command(`delivered ${pick} ${index}`, async (model, real) => {
    const grant = pickGrant(model, pick);
    if (grant === undefined || index >= sentOf(model, grant.lane, grant.step)) return;
    const { lane, step } = grant;
    const known = model.steps.get(keyOf(lane, step))!;
    const parent = `${lane}-${step}-${index}`;
    if (!known.back.has(parent)) known.delivered.add(parent);
    const change = await real.book.delivered({ lane, step }, parent);
    checkMove(model, step, change, null);
  });

const toDue = (): Command =>
  command("due", async (model, real) => {
    const { watches, ready, at } = await real.book.due();
    for (const { resumeMinutes } of ready) checkResumeMinutes(model, lanes, resumeMinutes);
    model.looks.push({ at, elapsed: model.elapsed });
    for (const { lane, step } of watches) {
      const known = model.steps.get(keyOf(lane, step))!;
      // While nothing is watched, nothing is asked.
      expect(sentOf(model, lane, step) + known.back.size + known.delivered.size).toBeGreaterThan(0);
    }
    await viewsOf(model, real);
  });

const toAdvance = (ms: number): Command =>
  command(`advance ${ms}`, async (model, real) => {
    await real.advance(ms);
    if (ms > 0) {
      model.elapsed += ms;
      return;
    }
    model.setBackAt = model.elapsed;
    // A time from before the clock was set back is no time of a look.
    model.looks = [];
  });

/** What else than silence is needed. */
const anyProof: fc.Arbitrary<Pick<LaneConfig, "byReport" | "byAsking">> = fc.constantFrom(
  {},
  {},
  { byReport: true as const },
  { byAsking: true as const },
  { byReport: true as const, byAsking: true as const },
);
const anySettings = fc.record({
  canary: fc.constantFrom(1, 2, 5),
  watchMs: fc.constantFrom(10_000, 60_000, 400_000),
  haltAt: fc.constantFrom(0, 0.2, 0.34, 0.5, 1),
  probeEveryMs: fc.constantFrom(60_000, 300_000, 900_000),
  openFrom: fc.constantFrom(1, 40, 400),
});
const anyConfig: fc.Arbitrary<LaneConfig> = fc
  .tuple(anySettings, anyProof)
  .map(([settings, proof]) => ({ ...settings, ...proof }));
const anyLoad = fc.constantFrom({ count: 0, max: 10 }, { count: 4, max: 10 }, { count: 10, max: 10 }, null);
const pick = fc.oneof(fc.constant(0), fc.nat(4));
const found = (most: number) =>
  fc.record({
    pick,
    count: fc.nat(most),
    kind: fc.constantFrom("down" as const, "down", "refused", "again"),
    status: fc.constantFrom(0, 422, 500, 503),
  });
const minutes = fc.uniqueArray(fc.nat(30), { maxLength: 2 });
const anyAsk = fc
  .tuple(fc.constantFrom(0, 0, 0, 1), fc.constantFrom(0, 1, 3, 10, 100), minutes)
  .map((args) => toAsk(...args));
const anySend = fc.tuple(pick, fc.constantFrom(1, 3, 100)).map((args) => toSend(...args));
const anyCheck = fc.tuple(found(0), fc.constantFrom(0, 0, 1, 3), anyLoad).map((args) => toCheck(...args));
/** What silence, a period and a probe wait for; back for longer than what is taken for now. */
const anyAdvance = fc
  .constantFrom(1, 2_500, 5_000, 10_000, 30_000, 60_000, 60_000, 300_001, 300_001, 900_000, 3_600_001)
  .map(toAdvance);
const often = [anyAsk, anySend, anyAdvance];
const lessOften = [anyCheck, fc.constant(toDue())];
const commands: fc.Arbitrary<Command>[] = [
  ...often,
  ...often,
  ...often,
  ...lessOften,
  ...lessOften,
  fc.tuple(found(3), fc.constantFrom(0, 1)).map((args) => toCheck(...args)),
  found(5).map(toRecordComeBacks),
  fc.tuple(pick, fc.constantFrom(0, 1, 100), minutes).map((args) => toGiveBack(...args)),
  fc.tuple(pick, fc.nat(5)).map((args) => toDeliver(...args)),
  fc.constantFrom(-500, -2_000, -86_400_000).map(toAdvance),
];

test(
  "in any order of any workers no lane lets more go than its state has, and none moves without proof",
  { timeout: 480_000 },
  async () => {
    const anyOrder = fc.asyncProperty(
      anyConfig,
      fc.commands(commands, { maxCommands: 80, size: "max" }),
      async (config, order) => {
        const real = createLaneStand(redis.fresh());
        await fc.asyncModelRun(() => ({ model: newModel(config), real }), order);
      },
    );
    await fc.assert(anyOrder, { numRuns: Math.max(100, casesOf(500)) });
  },
);
