import { once } from "node:events";
import { systemClock } from "../../src/system-world.ts";
import { sourceKeys } from "../../src/job/store/keys.ts";
import { createRedisLedger } from "../../src/job/store/ledger/redis-ledger.ts";
import type { DlqId } from "../../src/job/message/dead-letter.ts";
import type { Archive } from "../../src/job/contracts/archive.ts";
import type { Clock } from "../../src/job/contracts/clock.ts";
import type { MessageService } from "../../src/job/contracts/service.ts";
import type { RedisConnection } from "../../src/job/redis/connect.ts";
import type { RedisScript, ScriptRunner } from "../../src/job/redis/script-runner.ts";
import { listPage } from "../../src/job/listing/list-page.ts";
import type { PageOutcome } from "../../src/job/page/page-report.ts";
import type { DrainRuntime } from "../../src/job/runtime.ts";
import type { Page } from "../../src/job/page/letter.ts";
import { createSweepMemory, sweep } from "../../src/job/sweep/sweep.ts";
import { workPage } from "../../src/job/page/work-page.ts";
import { onClock, twice } from "./ledger-stands.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import { useRedis, type TestRedis } from "./redis.ts";
import { atOnce, createRig, never, type Rig, type RigOptions } from "./rig.ts";
import { textOfEncoded } from "./text-of-encoded.ts";

/** With the built-in settings: S + T + 15 s, and W − S − X − 45 s. */
export const takeoverMs = 60_000;
export const horizonMs = 420_000;

/** One process of an installation, which can be stopped in the middle of what it does. */
export type Worker = ReturnType<typeof createWorker>;

export interface WorkerOptions extends Partial<Omit<RigOptions, "twinOf">> {
  /** Every script runs twice, and the second reply counts. */
  readonly scriptsTwice?: boolean;
}

/** Workers on one ledger, one service and one time. */
export type RaceStand = Awaited<ReturnType<typeof createRaceStand>>;

/** How a successor comes by what another worker left. */
export const ways = [
  ["a page", (worker: Worker) => worker.page()],
  ["a sweep", (worker: Worker) => worker.sweep()],
] as const;

/** A drain that does so with what fails with 503; `more` are lines of its own. */
export const drainThat = (then: string, more = ""): string => `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    ${more}
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: ${then} }
`;

/** Races on a server. At the top of a test file. */
export function useRaces(redis: TestRedis = useRedis()) {
  return (options: WorkerOptions = {}): Promise<RaceStand> =>
    createRaceStand(redis.fresh(), { redisUrl: redis.url(), ...options });
}

/** Two workers, and so many letters for both. */
export async function twoOn<Stand extends RaceStand>(
  made: Promise<Stand>,
  letters: number,
  ofA: WorkerOptions = {},
  ofB: WorkerOptions = {},
) {
  const race = await made;
  const [a, b] = [await race.worker(ofA), await race.worker(ofB)];
  const ids = race.seed(letters) as [DlqId, ...DlqId[]];
  return { race, a, b, ids, id: ids[0] };
}

/** So many letters in the hands of a worker that died right there. */
export async function deadAt<Stand extends RaceStand>(
  made: Promise<Stand>,
  letters: number,
  call: string,
  moment: "before" | "after",
  worker: (race: Stand) => Promise<Worker> = (race) => race.worker(),
) {
  const race = await made;
  const ids = race.seed(letters) as [DlqId, ...DlqId[]];
  await stallPage(await worker(race), call, moment);
  return { race, ids, id: ids[0] };
}

/**
 * Resolves when the worker's act has come to this call. Never told to go on, the worker has died there. `goOn` answers
 * how the act ended.
 */
export async function stallPage(
  worker: Worker,
  call: string,
  moment: "before" | "after",
  act: (worker: Worker) => Promise<unknown> = ({ page }) => page(),
) {
  const stop = worker.stop(call, moment);
  const acting = act(worker);
  await stop.reached;
  return {
    goOn(): Promise<unknown> {
      stop.release();
      return acting;
    },
  };
}

async function createRaceStand(redis: RedisConnection, options: RigOptions) {
  const given: RigOptions = { drain: atOnce, ...options };
  const rig = await createRig(given);
  const clock = createManualClock();
  const startedAt = Date.now();
  let now = startedAt;
  const redisTime = { now: (): number => now };
  const keys = async (): Promise<readonly string[]> =>
    (await redis.command("KEYS", `${rig.core.redis.keyPrefix}:*`)) as readonly string[];
  const posts: { readonly at: number; readonly ids: readonly string[] }[] = [];
  const told = (items: readonly string[]): void =>
    void posts.push({ at: now - startedAt, ids: items.map(deduplicationIdOf) });
  const { entryPrefix } = sourceKeys(rig.core.redis.keyPrefix, rig.drain.source.config.id);
  const entryKey = (id: DlqId): string => `${entryPrefix}${id}`;
  // Nobody's: it looks, and notices no loss.
  const looking = createRedisLedger(
    { run: onClock(redis, redisTime).run, keyPrefix: rig.core.redis.keyPrefix },
    rig.drain.source.config.id,
    rig.drain.source.ledger.limits,
    { epochSeed: () => "looked" },
  );

  return {
    rig,
    /** Deduplication ids of every POST, in order, each with the Redis time since the stand was made, in ms. */
    posts,
    clock,
    ledger: looking,
    states: async (ids: readonly DlqId[]): Promise<readonly string[]> =>
      (await looking.peek(ids)).views.map(({ state }) => state),
    /** Their entries, as they stand in Redis; null where there is none. */
    async entries(ids: readonly DlqId[]): Promise<readonly unknown[]> {
      const texts = (await redis.command("MGET", ...ids.map(entryKey))) as readonly (string | null)[];
      return texts.map((text) => (text === null ? null : (JSON.parse(text) as unknown)));
    },
    /** Their entries have lived their time: by the server's own clock, which nobody moves. */
    forget: (ids: readonly DlqId[]): Promise<unknown> => redis.command("DEL", ...ids.map(entryKey)),
    seed: (count: number, fields?: Readonly<Record<string, unknown>>): DlqId[] =>
      rig.seed(count, fields) as DlqId[],
    async worker({ scriptsTwice = false, ...own }: WorkerOptions = {}): Promise<Worker> {
      const twin = await createRig({ ...given, ...own, twinOf: rig });
      return createWorker(twin, { clock, redisTime, scriptsTwice, told });
    },
    /** Time passes everywhere: for Redis, for the service, and for those who sleep. */
    async wait(ms: number): Promise<void> {
      now += ms;
      rig.emulator.clock.advance(ms);
      clock.advance(ms);
    },
    /** Redis loses everything of this installation, as FLUSHALL does it. */
    async loseEverything(): Promise<void> {
      const lost = await keys();
      if (lost.length > 0) await redis.command("DEL", ...lost);
    },
    /** What Redis has now; called, it has that again, as after a failover to a replica that was behind. */
    async snapshot(): Promise<() => Promise<void>> {
      const copies = (await keys()).map((key) => [key, `${redis.keyPrefix}:copy:${key}`] as const);
      for (const [key, copy] of copies) await redis.command("COPY", key, copy);
      return async () => {
        await redis.command("DEL", ...(await keys()));
        for (const [key, copy] of copies) await redis.command("RENAME", copy, key);
      };
    },
  };
}

function deduplicationIdOf(item: string): string {
  const { headers } = JSON.parse(item) as { readonly headers: Readonly<Record<string, string>> };
  return headers["Upstash-Deduplication-Id"] ?? "none";
}

interface WorkerParts {
  readonly clock: ManualClock;
  readonly redisTime: Pick<Clock, "now">;
  readonly scriptsTwice: boolean;
  readonly told: (items: readonly string[]) => void;
}

function createWorker(rig: Rig, { clock, redisTime, scriptsTwice, told }: WorkerParts) {
  const stops = createStops();
  let onScript: ((script: RedisScript) => Promise<void>) | null = null;
  const { redis } = rig.core;
  const run = redis.run;
  const onMovedTime = onClock<ScriptRunner>(
    {
      run: async (script, ...call) => {
        await onScript?.(script);
        return run(script, ...call);
      },
    },
    redisTime,
  );
  const runner = scriptsTwice ? twice(onMovedTime) : onMovedTime;
  redis.run = (script, ...call) =>
    stops.around(script.name.replace(/^ledger:/, ""), () => runner.run(script, ...call));

  const { source, archive } = rig.drain;
  const drain: DrainRuntime = {
    ...rig.drain,
    archive: archive === null ? null : stopping(archive, stops),
    source: { ...source, clock: workerClock(clock), service: stoppingService(source.service, stops, told) },
  };
  const memory = createSweepMemory(drain.source.clock);
  const list = async (): Promise<Page> => {
    const { records, readAt } = await listPage(drain.source, { select: {}, count: 100 }, never);
    return { records, readAt };
  };
  const work = (page: Page): Promise<PageOutcome> => workPage(drain, page, never);
  return {
    rig,
    drain,
    list,
    work,
    /** Lists what is in the DLQ, and works it as a window's page. */
    page: async (): Promise<PageOutcome> => work(await list()),
    sweep: (): Promise<unknown> => sweep(drain.source, new Map([[drain.config.name, drain]]), memory, never),
    /**
     * Stops it the next time that it makes this call: `list`, `publish`, `remove`, `archive`, or a script of
     * the ledger such as `begin`. Not released, it has died there.
     */
    stop: (call: string, moment: "before" | "after"): Stop => stops.add(call, moment),
    /** Told of every script right before it is sent. */
    onScript: (next: (script: RedisScript) => Promise<void>): void => {
      onScript = next;
    },
  };
}

/** Time of day is the machine's, which decides about no right; what it measures and sleeps is the stand's. */
function workerClock(clock: ManualClock): Clock {
  return {
    now: () => systemClock.now(),
    monotonic: clock.monotonic,
    sleep: clock.sleep,
    random: clock.random,
  };
}

function stoppingService(
  service: MessageService,
  stops: ReturnType<typeof createStops>,
  told: (items: readonly string[]) => void,
): MessageService {
  return {
    clockOffsetMs: () => service.clockOffsetMs(),
    list: (...call) => stops.around("list", () => service.list(...call)),
    publish: (items, ...call) =>
      stops.around("publish", () => {
        told(items.map(textOfEncoded));
        return service.publish(items, ...call);
      }),
    remove: (...call) => stops.around("remove", () => service.remove(...call)),
  };
}

function stopping(archive: Archive, stops: ReturnType<typeof createStops>): Archive {
  return {
    ...archive,
    write: (entries) => stops.around("archive", () => archive.write(entries)),
  };
}

/** A place at which somebody is stopped once. Not released, he has died there. */
interface Stop {
  /** Resolves when he is there. */
  readonly reached: Promise<void>;
  release(): void;
}

interface Armed extends Stop {
  readonly place: string;
  readonly pass: () => Promise<void>;
}

/** Stops around calls, by the name of the call. */
function createStops() {
  const armed: Armed[] = [];
  const pass = async (place: string): Promise<void> => {
    const next = armed.findIndex((stop) => stop.place === place);
    const [stop] = next === -1 ? [] : armed.splice(next, 1);
    await stop?.pass();
  };
  return {
    add(call: string, moment: "before" | "after"): Stop {
      const [arrival, leave] = [new AbortController(), new AbortController()];
      const reached = once(arrival.signal, "abort").then(() => undefined);
      const released = once(leave.signal, "abort").then(() => undefined);
      const stop: Armed = {
        place: `${moment} ${call}`,
        reached,
        release: () => leave.abort(),
        pass: () => {
          arrival.abort();
          return released;
        },
      };
      armed.push(stop);
      return stop;
    },
    /** `after`: the call has ended well, and nobody has seen its answer. */
    async around<Answer>(call: string, made: () => Promise<Answer>): Promise<Answer> {
      await pass(`before ${call}`);
      const answer = await made();
      await pass(`after ${call}`);
      return answer;
    },
  };
}
