/**
 * What a person reads while four hosts are drained, one of them down for a while: every half second what `status`
 * and the metrics say is held against the emulator's own numbers of that moment.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Status } from "../../../src/people/operations/status/read.ts";
import type { EmulatorProcess } from "../../rig/emulator-process.ts";
import { atLeast, atMost, shareAtLeast, shown, timed, type Figure } from "../../rig/figures.ts";
import { idsOf, toRecords } from "../../rig/letters.ts";
import { deliveredOnce } from "../../rig/outcome.ts";
import { startPeople, type People } from "../people.ts";
import { startStage, type Stage } from "../stage.ts";
import { createTimeScale, minuteMs, secondMs } from "../time-scale.ts";
import type { World } from "../world.ts";

const hosts = 4;
const onePage = 100;
const sampleEveryMs = 2 * secondMs;
/** A window writes what it has deleted this often. */
const progressEveryMs = 500;

interface Sample {
  /** Unix ms at which the command began and ended to read. */
  readonly from: number;
  readonly to: number;
  readonly status: Status;
  readonly metricDepth: number | null;
}

export async function incident(world: World): Promise<readonly Figure[]> {
  const perHost = world.isSmall ? 800 : 5_000;
  // Slower than other scenarios: what a page shows is as old as it is in real life.
  const scale = createTimeScale(world.isSmall ? 6 : 3);
  const people = await startPeople();
  const stage = await startStage(world, {
    name: "incident",
    receivers: hosts,
    scale,
    drain: {
      publishPerSecond: null,
      perHostPerSecond: 10,
      minAgeMs: 0,
      // People are told within the horizon of a pass (5 s), this (2 s here) and an evaluation (2 s).
      everyMs: 6 * secondMs,
      fullMs: 5 * minuteMs,
      notifyUrl: people.url,
    },
  }).catch(async (error: unknown) => {
    await people.close();
    throw error;
  });
  try {
    const [dead] = stage.receivers;
    await dead!.behave({ manner: "refusing" });
    const hostOf = new Map<string, string>();
    const ids: string[] = [];
    for (const [index, { url }] of stage.receivers.entries()) {
      const batch = { name: `host-${index}`, count: perHost, url };
      const records = toRecords(batch, (await stage.emulator.state()).now);
      for (const { dlqId } of records) hostOf.set(String(dlqId), url);
      ids.push(...Array.from({ length: perHost }, (_, at) => `${batch.name}-${at}`));
      await stage.emulator.seed(records);
    }
    const seededAt = Date.now();
    await stage.startDaemons();
    const startedAt = Date.now();
    const downForMs = (perHost / (10 * scale.factor)) * 500;
    const up = delay(downForMs).then(() => dead!.behave({ manner: "up" }));
    const samples = await sampleUntilClear(stage, perHost);
    await up;
    const truth = await createTruth(stage.emulator, hostOf, seededAt);
    const word = await judgeWord(stage, people, world.isSmall ? 3 : 5);
    writeFileSync(join(world.dir, "incident", "samples.json"), toSamplesFile(samples, truth, stage));
    return [
      shown("samples", `${samples.length} in ${scale.toRealText(Date.now() - startedAt)}`),
      ...judgeCounts(
        samples,
        truth,
        stage.receivers.map(({ url }) => url),
        { startedAt, factor: scale.factor },
      ),
      ...judgeVerdicts(samples, truth, startedAt),
      ...word.figures,
      ...(await deliveredOnce(stage, [...ids, ...word.ids])),
    ];
  } finally {
    await stage.close();
    await people.close();
  }
}

const worst = (all: readonly number[]): number => Math.max(...all) / secondMs;
const maxWordMs = 60 * secondMs;

/**
 * Small backlogs, one after the other, on the queue that is empty again: when people are told of each. Seconds
 * here: neither the horizon of a pass nor the evaluation of notices has a scale.
 */
async function judgeWord(
  { emulator, receivers }: Stage,
  people: People,
  runs: number,
): Promise<{ readonly figures: readonly Figure[]; readonly ids: readonly string[] }> {
  const ids: string[] = [];
  const began: number[] = [];
  const ended: number[] = [];
  await people.toldAt("backlog.ended", 0, maxWordMs);
  for (let run = 0; run < runs; run += 1) {
    // Another moment between two evaluations each time.
    await delay(run * 370);
    const batch = { name: `word-${run}`, count: 400, url: receivers[1]!.url, agoMs: [0, 0] as const };
    const { now } = await emulator.state();
    const at = Date.now();
    await emulator.seed(toRecords(batch, now));
    ids.push(...idsOf(batch));
    began.push((await people.toldAt("backlog.began", at, maxWordMs)) - at);
    const endedAt = await people.toldAt("backlog.ended", at, maxWordMs);
    const deletes = (await emulator.journal("deleted")).filter((entry) => entry.at >= at);
    ended.push(endedAt - Math.max(at, ...deletes.map((entry) => entry.at)));
  }
  return {
    ids,
    figures: [
      timed(atMost("seconds until people are told that a backlog began: worst", worst(began), 10)),
      timed(atMost("seconds until people are told that it ended: worst", worst(ended), 10)),
    ],
  };
}

async function sampleUntilClear(stage: Stage, perHost: number): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const deadline = Date.now() + 60 * secondMs + perHost * 60;
  let clear = 0;
  while (clear < 2 && Date.now() < deadline) {
    const from = Date.now();
    const status = JSON.parse(await stage.ask("status")) as Status;
    const metrics = await stage.daemons[0]!.metrics().catch(() => null);
    const to = Date.now();
    samples.push({ from, to, status, metricDepth: metrics?.sum("redriver_source_depth", {}) ?? null });
    const waiting = status.drains.reduce((sum, { outlook }) => sum + outlook.waiting, 0);
    clear = waiting === 0 && samples.length > 5 ? clear + 1 : 0;
    await delay(Math.max(0, sampleEveryMs - (to - from)));
  }
  return samples;
}

/** What was in the queue at a time, by host, as the emulator wrote it down. */
interface Truth {
  of(url: string, at: number): number;
  total(at: number): number;
  /** When its queue was last emptied; Infinity: it was not. */
  emptyAt(url: string): number;
}

async function createTruth(
  emulator: EmulatorProcess,
  seeded: ReadonlyMap<string, string>,
  seededAt: number,
): Promise<Truth> {
  const hostOf = new Map(seeded);
  const changes: { readonly at: number; readonly host: string; readonly by: number }[] = [];
  for (const host of seeded.values()) changes.push({ at: seededAt, host, by: 1 });
  for (const { at, dlqId, url } of await emulator.journal("dead-lettered")) {
    const host = new URL(url).origin;
    hostOf.set(dlqId, host);
    changes.push({ at, host, by: 1 });
  }
  for (const { at, dlqIds } of await emulator.journal("deleted")) {
    for (const dlqId of dlqIds) changes.push({ at, host: hostOf.get(dlqId) ?? "", by: -1 });
  }
  const sorted = changes.toSorted((one, other) => one.at - other.at);
  const sum = (at: number, isOf: (host: string) => boolean): number =>
    sorted.reduce((count, one) => (one.at <= at && isOf(one.host) ? count + one.by : count), 0);
  return {
    of: (url, at) => sum(at, (host) => host === url),
    total: (at) => sum(at, () => true),
    emptyAt(url) {
      let left = 0;
      let at = 0;
      for (const one of sorted) {
        if (one.host !== url) continue;
        if (left > 0 && left + one.by <= 0) at = one.at;
        left += one.by;
      }
      return left > 0 ? Infinity : at;
    },
  };
}

/** For people: what was read, beside what was true. */
function toSamplesFile(samples: readonly Sample[], truth: Truth, { receivers }: Stage): string {
  const urls = receivers.map(({ url }) => url);
  const hosts = urls.map((url) => ({ url, emptyAt: truth.emptyAt(url) }));
  const rows = samples.map(({ from, to, ...sample }) => ({
    from,
    to,
    inQueue: urls.map((url) => [truth.of(url, from), truth.of(url, to)]),
    ...sample,
  }));
  return `${JSON.stringify({ hosts, rows })}\n`;
}

/** How far a number is from what was true while it was read; 0 if it was true at any time in between. */
function distance(seen: number, ...truths: readonly number[]): number {
  return Math.max(0, seen - Math.max(...truths), Math.min(...truths) - seen);
}

/**
 * What is called still counting is at least so many, and everything else is a count. What is published waits no
 * more, and is in the queue until its delete.
 */
function judgeCounts(
  samples: readonly Sample[],
  truth: Truth,
  urls: readonly string[],
  { startedAt, factor }: { readonly startedAt: number; readonly factor: number },
): readonly Figure[] {
  // No scale makes this shorter, and all that happens meanwhile is `factor` times as much.
  const behindMs = progressEveryMs * (1 - 1 / factor);
  let worstHost = 0;
  let worstDepth = 0;
  let within = 0;
  let all = 0;
  for (const { from, to, status, metricDepth } of samples) {
    // Before the first listing nobody knows anything.
    const [source] = status.sources;
    const [drain] = status.drains;
    if (source === undefined || drain === undefined || source.depth === null) continue;
    for (const url of urls) {
      const own = drain.destinations.filter(({ origin }) => origin === url);
      const waiting = own.reduce((sum, one) => sum + one.waiting + one.parked, 0);
      const [before, after] = [truth.of(url, from), truth.of(url, to)];
      const tooMany = waiting - Math.max(before, after);
      const tooFew = Math.min(before, after) - waiting - (source.pendingDelete ?? 0);
      const far = Math.max(0, tooMany, drain.stillCounting ? 0 : tooFew);
      worstHost = Math.max(worstHost, far);
      all += 1;
      if (far <= Math.max(onePage, before / 50)) within += 1;
    }
    const depths = [source.depth.stillCounting ? null : source.depth.count, metricDepth];
    for (const depth of depths) {
      if (typeof depth !== "number") continue;
      const truths = [from - behindMs, from, to].map((at) => truth.total(at));
      worstDepth = Math.max(worstDepth, distance(depth, ...truths));
    }
  }
  const counted = samples.find(({ status }) => {
    const isDepthCounted = status.sources[0]?.depth?.stillCounting === false;
    return isDepthCounted && status.drains[0]?.stillCounting === false;
  });
  return [
    shown("waiting per host: worst distance", String(worstHost)),
    shareAtLeast("waiting per host within 2 % or a page", all === 0 ? 0 : within / all, 1),
    // How late it is told, in letters: thirty times as many go by here as in the time that it is told of.
    timed(atMost("depth in status and metrics: worst distance", worstDepth, onePage)),
    timed(atMost("seconds of still counting", ((counted?.to ?? Infinity) - startedAt) / secondMs, 30)),
  ];
}

function judgeVerdicts(samples: readonly Sample[], truth: Truth, startedAt: number): readonly Figure[] {
  const first = samples.find(({ status }) => (status.drains[0]?.outlook.waiting ?? 0) > 0);
  const last = samples.find(({ from, status }) => {
    const isClear = status.drains[0]?.outlook.waiting === 0;
    return isClear && truth.total(from) === 0;
  });
  const emptyAt = samples.find(({ from }) => truth.total(from) === 0)?.from ?? Infinity;
  const rates = samples.filter(({ status }) => status.drains[0]?.outlook.perSecond).length;
  return [
    timed(
      atMost("seconds until something is seen to wait", ((first?.to ?? Infinity) - startedAt) / secondMs, 10),
    ),
    timed(atMost("seconds until the end is seen", ((last?.to ?? Infinity) - emptyAt) / secondMs, 10)),
    timed(atLeast("samples with a rate", rates, 5)),
  ];
}
