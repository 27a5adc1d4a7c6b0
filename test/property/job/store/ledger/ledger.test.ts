import * as fc from "fast-check";
import { test, expect } from "vitest";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import type {
  BeginOptions,
  DeleteEnd,
  RefusedRequest,
  BeginVerdict,
} from "../../../../../src/job/contracts/ledger.ts";
import {
  defaultLimits,
  drain,
  horizonMs,
  ofTwoProcesses,
  otherDrain,
  redisStand,
  startOfTime,
  takeoverMs,
  token,
  dlqId,
  messageId,
  request,
  source,
  type LedgerStand,
} from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";
import { casesOf } from "../../../../support/fuzzing.ts";
import { defined } from "../../../../../src/job/message/defined.ts";
import { sourceKeys } from "../../../../../src/job/store/keys.ts";
import type { DrainName, Token } from "../../../../../src/job/contracts/ids.ts";
import type { LedgerView } from "../../../../../src/job/contracts/ledger-entries.ts";
import type { RedisConnection } from "../../../../../src/job/redis/connect.ts";

const redis = useRedis();

/**
 * Several workers act on few records in any order. The model below knows nothing of the ledger's arithmetic, only which POSTs were begun and what became of
 * them, and holds every answer against it.
 */
const ids = [1, 2, 3, 4].map(dlqId);
/** Below the life of a cool entry and of a tombstone: forgetting has its own tests. */
const longestRunMs = 3_600_000;

interface Post {
  readonly token: Token;
  readonly suffix: number;
  readonly at: number;
  /** Absent while it may have been accepted. */
  end?: "refused" | "not-sent";
  /**
   * Its worker has said what became of it, be it "unknown"; a second word of the same worker does not count.
   */
  told?: true;
}

type KnownRecord = ReturnType<typeof nothingKnown>;

const nothingKnown = () => ({
  posts: [] as Post[],
  /** The id under which it was posted last. */
  suffix: 1,
  holder: null as {
    readonly token: Token;
    readonly since: number;
    readonly act: "republish" | "drop";
  } | null,
  publishedAs: null as string | null,
  done: null as "archived" | "gone" | null,
  /** Under which it was begun; null: none that the ledger still knows. */
  kind: null as string | null,
  parked: null as { readonly reason: "rule" | "refused"; readonly drain: DrainName } | null,
});

interface Model {
  now: number;
  minted: number;
  readonly tokens: Token[];
  readonly records: Map<DlqId, KnownRecord>;
}

interface Real {
  readonly stand: LedgerStand;
  readonly connection: RedisConnection;
}

function known(model: Model, id: DlqId): KnownRecord {
  const record = model.records.get(id);
  if (record === undefined) throw new Error("every id has a record");
  return record;
}

const wasRefused = (record: KnownRecord): boolean =>
  record.posts.some(({ suffix, end }) => suffix === record.suffix && end === "refused");

const unanswered = (record: KnownRecord): readonly Post[] =>
  record.posts.filter(({ suffix, end }) => suffix === record.suffix && end === undefined);

function checkBegun(
  model: Model,
  record: KnownRecord,
  verdict: Extract<BeginVerdict, { kind: "begun" }>,
  asked: BeginOptions,
): void {
  const { series, declaredDouble } = verdict;
  // What is done is never begun again, and what waits for a person is not begun without one.
  expect(record.publishedAs).toBeNull();
  expect(record.done).toBeNull();
  if (record.parked !== null) {
    expect(record.parked).toEqual({ reason: "rule", drain: asked.drain });
    expect(asked.rulesHash).toBe("h2");
  }
  // One holder: another token only after the lease, or from the holder itself.
  if (record.holder !== null && asked.previous?.token !== record.holder.token) {
    expect(model.now).toBeGreaterThan(record.holder.since + takeoverMs);
  }
  if (asked.act === "drop") return;
  // A refusal with nothing unanswered ends a series: no later hit meets an id that a refused item may have
  // registered.
  const isEnded = wasRefused(record) && unanswered(record).length === 0;
  if (isEnded) expect(series.suffix).toBe(record.suffix + 1);
  const isNew = series.suffix !== record.suffix;
  record.suffix = series.suffix;
  // What is left unanswered under an earlier id may have been accepted, and only that is declared.
  const before = record.posts.filter(({ suffix, end }) => suffix !== series.suffix && end === undefined);
  expect(declaredDouble !== false).toBe(before.length > 0);
  expect(series.doubts).toBe(new Set(before.map(({ suffix }) => suffix)).size);
  if (isNew) expect(series.firstAt).toBe(model.now);
  // The inequality: while an earlier POST of this id may be unanswered, none begins later than its time +
  // horizon.
  for (const post of unanswered(record)) expect(model.now).toBeLessThanOrEqual(post.at + horizonMs);
  record.posts.push({ token: asked.token, suffix: series.suffix, at: model.now });
  const ofSuffix = record.posts.filter(({ suffix, end }) => suffix === series.suffix && end !== "not-sent");
  expect(series.posts).toBe(ofSuffix.length);
  expect(series.refusals).toBe(ofSuffix.filter(({ end }) => end === "refused").length);
}

type Command = fc.AsyncCommand<Model, Real>;

function command(text: string, run: Command["run"], check: Command["check"] = () => true): Command {
  return { check, run, toString: () => text };
}

interface Asking {
  readonly asked: readonly DlqId[];
  readonly options: Pick<BeginOptions, "act" | "drain" | "pastHorizon" | "rulesHash">;
  readonly retry: { readonly pick: number; readonly outcome: "refused" | "unknown" | "not-sent" } | null;
}

const toBegin = ({ asked, options, retry }: Asking): Command =>
  command(
    `begin ${JSON.stringify([asked, options, retry])}`,
    async (model, { stand: { ledger } }) => {
      const by = token(`t${(model.minted += 1)}`);
      const held = retry === null ? null : pickToken(model, retry.pick);
      const all: BeginOptions = {
        token: by,
        pageReadAt: model.now,
        ...options,
        ...(retry === null || held === null ? {} : { previous: { token: held, outcome: retry.outcome } }),
      };
      const kindOf = (index: number): string => `kind-${1e4 + ((model.minted + index) % 3)}`;
      const requests = asked.map((id, index) => ({ ...request(id), failure: kindOf(index) }));
      const answer = await ledger.begin(requests, all);
      if (answer.kind !== "answered") throw new Error(`expected verdicts, got ${answer.kind}`);
      model.tokens.push(by);
      for (const [index, id] of asked.entries()) {
        const record = known(model, id);
        if (retry !== null && held !== null && record.holder?.token === held && isOpen(record)) {
          endPost(record, held, retry.outcome);
        }
        const verdict = answer.verdicts[index];
        if (verdict?.kind !== "begun") continue;
        checkBegun(model, record, verdict, all);
        record.parked = null;
        record.kind = kindOf(index);
        record.holder = { token: by, since: model.now, act: options.act };
      }
    },
    (model) => retry === null || model.tokens.length > 0,
  );

/** One of the latest tokens: most likely somebody who holds something. */
const pickToken = (model: Model, pick: number): Token => model.tokens.at(-1 - pick) ?? token("nobody");

const isOpen = (record: KnownRecord): boolean =>
  record.publishedAs === null && record.done === null && record.parked === null;

function endPost(record: KnownRecord, by: Token, outcome: "refused" | "unknown" | "not-sent"): void {
  const post = record.posts.findLast((one) => one.token === by);
  if (post === undefined || post.told === true) return;
  post.told = true;
  if (outcome !== "unknown") post.end = outcome;
}

const toRefuse = (id: DlqId, pick: number, outcome: RefusedRequest["outcome"], coolMs: number): Command =>
  command(`refused ${id} ${pick} ${outcome} ${coolMs}`, async (model, { stand: { ledger } }) => {
    const record = known(model, id);
    const by = pickToken(model, pick);
    const post = record.posts.findLast((one) => one.token === by);
    const { verdicts } = await ledger.refused([{ dlqId: id, outcome, coolMs }], by);
    const verdict = verdicts[0]?.kind;
    if (verdict === "not-yours") {
      expect(record.holder?.token === by && isOpen(record)).toBe(false);
      return;
    }
    const wasEnded = post === undefined || post.told === true;
    if (post !== undefined && !wasEnded) {
      post.told = true;
      post.end = outcome === "not-sent" ? "not-sent" : "refused";
    }
    expect(verdict).toBe(unanswered(record).length > 0 ? "stays-open" : "cool");
    if (verdict !== "cool") return;
    record.kind = null;
    record.holder = null;
  });

const toPublish = (asked: readonly DlqId[], text: string, deletePending: boolean, namedBy?: Token): Command =>
  command(
    `published ${asked.join()} ${text} ${deletePending} ${namedBy}`,
    async (model, { stand: { ledger } }) => {
      const as = messageId(text);
      const common = { as, attempt: 1, deletePending, drain, messageId: null };
      const facts = asked.map((id) => ({ dlqId: id, ...common, ...defined({ namedBy }) }));
      const { verdicts } = await ledger.published(facts);
      for (const [index, id] of asked.entries()) {
        const verdict = verdicts[index];
        const record = known(model, id);
        // A come-back counts for the kind that was sent.
        if (verdict?.firstNaming === true) expect(verdict.failure).toBe(record.kind ?? undefined);
        if (record.done === "gone") {
          expect(verdict).toMatchObject({ kind: "gone" });
          if (record.publishedAs !== null) expect(verdict).toMatchObject({ as: record.publishedAs });
          continue;
        }
        record.publishedAs ??= as;
        record.done = null;
        const first = record.publishedAs;
        expect(verdict).toMatchObject(first === as ? { kind: "recorded" } : { kind: "already", as: first });
      }
    },
  );

const toArchive = (id: DlqId, pick: number): Command =>
  command(`archived ${id} ${pick}`, async (model, { stand: { ledger } }) => {
    const record = known(model, id);
    const by = pickToken(model, pick);
    const { verdicts } = await ledger.archived([id], "file", by);
    if (verdicts[0] !== "recorded" || record.done === "archived") return;
    expect(record.holder).toMatchObject({ token: by, act: "drop" });
    record.done = "archived";
    record.kind = null;
  });

const toBury = (asked: readonly DlqId[]): Command =>
  command(`gone ${asked.join()}`, async (model, { stand: { ledger } }) => {
    const { count } = await ledger.gone(asked);
    const buried = asked
      .map((id) => known(model, id))
      .filter(({ publishedAs, done }) => publishedAs !== null || done !== null);
    expect(count).toBe(buried.length);
    for (const record of buried) record.done = "gone";
  });

const toFailDelete = (id: DlqId, how: DeleteEnd): Command =>
  command(`deleteFailed ${id} ${how}`, async (_, { stand: { ledger } }) => {
    await ledger.deleteFailed([id], how);
  });

const toBuryUnlisted = (): Command =>
  command("markUnlistedGone", async (model, { stand: { ledger } }) => {
    await ledger.markUnlistedGone(drain, model.now);
    const { views } = await ledger.look(ids);
    for (const [index, id] of ids.entries()) {
      const record = known(model, id);
      if (views[index]?.state !== "gone") continue;
      expect(record.publishedAs !== null || record.done !== null).toBe(true);
      record.done = "gone";
    }
  });

const toPark = (id: DlqId, reason: "rule" | "refused", pick: number): Command =>
  command(`park ${id} ${reason} ${pick}`, async (model, { stand: { ledger } }) => {
    const record = known(model, id);
    const by = pickToken(model, pick);
    const { verdicts } = await ledger.park([{ dlqId: id, reason, attempt: 1 }], {
      drain,
      rulesHash: "h1",
      token: by,
    });
    const isDone = record.publishedAs !== null || record.done !== null;
    expect(verdicts[0]?.kind === "done-before").toBe(isDone);
    if (verdicts[0]?.kind !== "parked") return;
    if (record.holder !== null && record.holder.token !== by) {
      expect(model.now).toBeGreaterThan(record.holder.since + takeoverMs);
    }
    record.holder = null;
    if (record.parked?.reason !== "refused") record.parked = { reason, drain };
  });

const toRelease = (id: DlqId): Command =>
  command(`release ${id}`, async (model, { stand: { ledger } }) => {
    await ledger.release([id]);
    const record = known(model, id);
    // What is done meanwhile stays done, with its kind: a come-back still counts for it.
    if (record.publishedAs !== null || record.done !== null) return;
    if (record.parked !== null) record.kind = null;
    record.parked = null;
  });

/** Stays below the life of a cool entry and of a tombstone. */
const toAdvance = (ms: number): Command =>
  command(
    `advance ${ms}`,
    async (model, { stand }) => {
      model.now += ms;
      await stand.advance(ms);
    },
    (model) => model.now + ms <= startOfTime + longestRunMs,
  );

/** Looks at everything: what was published stays so, and the indexes are exactly the states. */
const toLookAround = (): Command =>
  command("look around", async (model, { stand: { ledger }, connection }) => {
    const { views } = await ledger.look(ids);
    for (const [index, id] of ids.entries()) checkView(known(model, id), views[index]);
    await ledger.summary();
    await ledger.unknownOutcomes(10, 0);
    const { entries } = await ledger.pendingDeletes(10, 0);
    const pending = entries.map(({ dlqId }) => dlqId);
    for (const offset of [1, 2, 3]) {
      const rest = await ledger.pendingDeletes(10, offset);
      expect(rest.entries.length).toBe(Math.max(0, pending.length - offset));
    }
    await checkIndexes(connection, views, pending);
  });

function checkView(record: KnownRecord, view: LedgerView | undefined): void {
  if (record.done !== null) expect(view?.state).toBe(record.done);
  else if (record.publishedAs !== null)
    expect(view).toMatchObject({ state: "published", as: record.publishedAs });
  else if (record.parked !== null)
    expect(view).toMatchObject({ state: "parked", reason: record.parked.reason });
  else if (record.holder !== null) expect(view?.state).toBe("open");
  else expect(["absent", "cool"]).toContain(view?.state);
}

async function checkIndexes(
  connection: RedisConnection,
  views: readonly LedgerView[],
  pending: readonly DlqId[],
): Promise<void> {
  const keys = sourceKeys(connection.keyPrefix, source);
  const isState = (wanted: (view: LedgerView) => boolean): readonly DlqId[] =>
    ids.filter((_, index) => views[index] !== undefined && wanted(views[index]));
  const read = async (...words: [string, ...string[]]): Promise<readonly string[]> =>
    (await connection.command(...words)) as string[];
  const batched = await checkBatches(connection, read);
  const open = [...(await read("ZRANGE", keys.open, "0", "-1")), ...batched("open")].toSorted();
  expect(open).toEqual(isState(({ state }) => state === "open"));
  const indexed = [...(await read("ZRANGE", keys.pending, "0", "-1")), ...batched("published")].toSorted();
  expect(indexed).toEqual([...pending].toSorted());
  const parked = await read("ZRANGE", keys.parked, "0", "-1");
  expect(parked.toSorted()).toEqual(isState(({ state }) => state === "parked"));
  const settling = isState(({ state }) => state === "published" || state === "archived");
  expect(settling).toEqual(expect.arrayContaining([...indexed]));
  expect(settling).toEqual(expect.arrayContaining([...(await read("SMEMBERS", keys.failed))]));
}

/**
 * What batch.lua.ts promises of each batch: all of its pointers are there and no other, and it is in the index of
 * its state alone. Answers the ids of a state.
 */
async function checkBatches(
  connection: RedisConnection,
  read: (...words: [string, ...string[]]) => Promise<readonly string[]>,
): Promise<(state: string) => readonly DlqId[]> {
  const keys = sourceKeys(connection.keyPrefix, source);
  const pointers = new Map<string, string>();
  for (const key of await read("KEYS", `${keys.entryPrefix}*`)) {
    const text = String(await connection.command("GET", key));
    if (text.startsWith("[")) pointers.set(key.slice(keys.entryPrefix.length), text);
  }
  const byState: Record<string, DlqId[]> = { open: [], published: [], gone: [] };
  const members: Record<string, string[]> = { open: [], published: [], gone: [] };
  for (const key of await read("KEYS", `${keys.batchPrefix}*`)) {
    const by = key.slice(keys.batchPrefix.length);
    const [state, idsText] = (await read("HMGET", key, "s", "ids")) as [string, string];
    const its = JSON.parse(idsText) as DlqId[];
    byState[state]!.push(...its);
    members[state]!.push(state === "gone" ? by : `${its.length}:${by}`);
    for (const id of its) {
      expect(pointers.get(id)).toBe(JSON.stringify([2, by]));
      pointers.delete(id);
    }
  }
  expect([...pointers]).toEqual([]);
  for (const [state, key] of Object.entries({
    open: keys.openBatches,
    published: keys.pendingBatches,
    gone: keys.goneBatches,
  })) {
    expect((await read("ZRANGE", key, "0", "-1")).toSorted()).toEqual(members[state]!.toSorted());
  }
  return (state) => byState[state] ?? [];
}

const anyId = fc.constantFrom(...ids);
/** Often the same few, so that what was begun together goes on together. */
const someIds = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(ids.slice(0, 2), ids.slice(2), ids) },
  { weight: 2, arbitrary: fc.uniqueArray(anyId, { minLength: 1, maxLength: 3 }) },
);
const pick = fc.nat({ max: 3 });
const pastHorizon = fc.constantFrom<BeginOptions["pastHorizon"]>("leave", "new-series");
const anyBegin = fc
  .record({
    asked: someIds,
    options: fc.record(
      {
        act: fc.constantFrom<BeginOptions["act"]>("republish", "republish", "republish", "drop"),
        drain: fc.constantFrom(drain, drain, otherDrain),
        pastHorizon,
        rulesHash: fc.constant("h2"),
      },
      { requiredKeys: ["act", "drain", "pastHorizon"] },
    ),
    retry: fc.constant(null),
  })
  .map(toBegin);
const anyRetry = fc
  .record({
    asked: someIds,
    options: fc.record({ act: fc.constant("republish" as const), drain: fc.constant(drain), pastHorizon }),
    retry: fc.record({ pick, outcome: fc.constantFrom("refused" as const, "unknown", "not-sent") }),
  })
  .map(toBegin);
const anyRefusal = fc
  .tuple(
    anyId,
    pick,
    fc.constantFrom<RefusedRequest["outcome"]>("refused", "refused-alone", "not-sent", "hit-after-refusals"),
    fc.constantFrom(0, 5_000, 60_000),
  )
  .map((args) => toRefuse(...args));
const anyAdvance = fc
  .constantFrom(1, 1_000, takeoverMs, takeoverMs + 1, 150_000, horizonMs, horizonMs + 1)
  .map(toAdvance);
/** What ends a record's story comes seldom, so that there is one. */
const anyEnding = fc.oneof(
  fc
    .tuple(
      someIds,
      fc.constantFrom("x", "y"),
      ...([fc.boolean(), fc.constantFrom(undefined, undefined, token("n1"), token("n2"))] as const),
    )
    .map(([asked, text, isPending, by]) => toPublish(asked, text, isPending && by === undefined, by)),
  fc.tuple(anyId, pick).map((args) => toArchive(...args)),
  someIds.map(toBury),
  fc
    .tuple(anyId, fc.constantFrom<DeleteEnd>("failed", "unanswered", "short"))
    .map((args) => toFailDelete(...args)),
  fc.constant(toBuryUnlisted()),
);
const anyPark = fc
  .tuple(anyId, fc.constantFrom("rule" as const, "refused"), pick)
  .map((args) => toPark(...args));
const often = [anyBegin, anyAdvance];
const lessOften = [anyRetry, anyRefusal];
const commands: fc.Arbitrary<Command>[] = [
  ...often,
  ...often,
  ...often,
  anyBegin,
  ...lessOften,
  ...lessOften,
  fc.oneof(anyPark, anyId.map(toRelease)),
  anyEnding,
  fc.constant(toLookAround()),
];

const limits = { ...defaultLimits, settleGateAgeMs: 2 * longestRunMs };

async function runInOrder(run: Iterable<Command>): Promise<void> {
  const connection = redis.fresh();
  const stand = await redisStand(connection, limits);
  const real: Real = {
    stand: { ...stand, ledger: ofTwoProcesses(stand.ledger, stand.createLedger()) },
    connection,
  };
  const records = new Map<DlqId, KnownRecord>(ids.map((id) => [id, nothingKnown()]));
  const model: Model = { now: startOfTime, minted: 0, tokens: [], records };
  await fc.asyncModelRun(() => ({ model, real }), [...run, toLookAround()]);
}

test(
  "in any order of any workers nothing is begun that may double, and facts stay",
  { timeout: 3_600_000 },
  async () => {
    const anyOrder = fc.asyncProperty(
      fc.commands(commands, { maxCommands: 60, size: "max" }),
      async (run) => await runInOrder(run),
    );
    await fc.assert(anyOrder, { numRuns: casesOf(300) });
  },
);

test("a release of what was published while it was parked keeps the kind that its come-back counts for", async () => {
  const [, , third = dlqId(3), fourth = dlqId(4)] = ids;
  const options = { act: "republish", drain, pastHorizon: "leave" } as const;
  const run = runInOrder([
    toBegin({ asked: [third, fourth], options, retry: null }),
    toPark(third, "rule", 0),
    toPublish(ids, "x", false),
    toRelease(third),
    toPublish([third], "x", false, token("n2")),
  ]);
  await expect(run).resolves.toBeUndefined();
});
