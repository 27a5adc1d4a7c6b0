import { beforeEach, expect, test } from "vitest";
import { postHorizonMs } from "../../../../../src/job/contracts/ledger-limits.ts";
import {
  factOf,
  defaultLimits,
  dlqId,
  drain,
  redisStand,
  request,
  takeoverMs,
  token,
  type LedgerStand,
} from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

/**
 * When the ledger, whose server's clock was set back, may return to that clock. What is remembered goes by
 * the ledger's time, so a return makes it younger; each test is a sequence in which that would have let
 * something be taken for what it is not.
 */
const redis = useRedis();
const stepMs = 600_000;
const id = dlqId(1);
const by = { drain, rulesHash: "h", token: null } as const;
const fact = factOf(id, "1");

const beginAt = (pageReadAt: number, as = "a") =>
  ({ token: token(as), drain, act: "republish", pageReadAt, pastHorizon: "leave" }) as const;

const createStand = (): Promise<LedgerStand> => redisStand(redis.fresh());

/** The server's clock goes back; where it was is noted, and how far it went is with the next write. */
async function stepBack({ ledger, advance }: LedgerStand, ms = stepMs): Promise<void> {
  await ledger.summary();
  await advance(-ms);
}

const publishedAndGone = async ({ ledger }: LedgerStand, one = id): Promise<void> => {
  await ledger.published([{ ...fact, dlqId: one }]);
  await ledger.gone([one]);
};

type Stand = Awaited<ReturnType<typeof createStand>>;
let stand: Stand;
let ledger: Stand["ledger"];
let advance: Stand["advance"];
let now: Stand["now"];
beforeEach(async () => {
  stand = await createStand();
  ({ ledger, advance, now } = stand);
});

test("a POST in doubt that was parked and released is as old as it is: past its window it is a declared double", async () => {
  await ledger.begin([request(id)], beginAt(now()));
  await advance(takeoverMs + 1);
  await stepBack(stand);
  await ledger.park([{ dlqId: id, reason: "attempts-exhausted", attempt: 1 }], by);
  await ledger.release([id]);
  expect(await ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
  // The service has forgotten the id of the first POST by now.
  await advance(stepMs);
  const { at } = await ledger.now();
  expect(await ledger.begin([request(id)], beginAt(at, "b"))).toMatchObject({
    verdicts: [{ kind: "begun", series: { suffix: 2 }, declaredDouble: "released-past-window" }],
  });
});

test("what is cool is due when it was said to be", async () => {
  await stepBack(stand);
  await ledger.begin([request(id)], beginAt((await ledger.now()).at));
  await ledger.refused([{ dlqId: id, outcome: "refused", coolMs: 60_000 }], token("a"));
  await ledger.summary();
  await advance(60_000);
  const { at } = await ledger.now();
  expect(await ledger.begin([request(id)], beginAt(at, "b"))).toMatchObject({
    verdicts: [{ kind: "begun" }],
  });
});

test("it returns when nothing cool is remembered any more", async () => {
  await stepBack(stand);
  const { at } = await ledger.begin([request(id)], beginAt((await ledger.now()).at));
  await ledger.refused([{ dlqId: id, outcome: "refused", coolMs: 1_000 }], token("a"));
  const lifeMs = defaultLimits.dedupWindowMs + 3_600_000;
  await advance(lifeMs + stepMs - 1);
  expect(await ledger.summary()).toMatchObject({ at: at + lifeMs + stepMs - 1 });
  expect((await ledger.peek([id])).views).toMatchObject([{ state: "absent" }]);
  await advance(1);
  expect(await ledger.summary()).toMatchObject({ at: now() });
});

test("what a loss of the ledger may concern is as old as it is", async () => {
  await stepBack(stand);
  const { at } = await ledger.recordLoss();
  expect(await ledger.summary()).toMatchObject({ at });
  await advance(stepMs + postHorizonMs(defaultLimits));
  expect(await ledger.summary()).toMatchObject({ at: at + stepMs + postHorizonMs(defaultLimits) });
  await advance(1);
  expect(await ledger.summary()).toMatchObject({ at: now() });
});

test("an acceptance is as old as it is, so that no refusal takes it for one of just now", async () => {
  await publishedAndGone(stand);
  await advance(120_000);
  await stepBack(stand);
  expect(await ledger.summary()).toMatchObject({ at: now() });
  const { at, lastAcceptedAt } = await ledger.refused([], token("a"));
  expect(at - (lastAcceptedAt ?? 0)).toBe(120_000);
});

test("a page that is held up for hours begins nothing that was deleted meanwhile, however far the clock was set back", async () => {
  await stepBack(stand, 3 * 3_600_000);
  await ledger.park([{ dlqId: dlqId(2), reason: "refused", attempt: 1 }], by);
  const { at: pageReadAt } = await ledger.now();
  await publishedAndGone(stand);
  await publishedAndGone(stand, dlqId(2));
  const told = new Set<string>();
  let returnedAfterMs: number | null = null;
  for (let passedMs = 0; passedMs < 12 * 3_600_000; passedMs += 240_000) {
    await advance(240_000);
    const summary = await ledger.summary();
    if (summary.at === now()) returnedAfterMs ??= passedMs;
    const answer = await ledger.begin([request(id)], beginAt(pageReadAt, `t${passedMs}`));
    for (const { kind } of answer.kind === "answered" ? answer.verdicts : []) told.add(kind);
  }
  expect([...told]).toEqual(["gone"]);
  expect(returnedAfterMs).toBeGreaterThan(2 * 3_600_000);
});

test("until then the oldest times are told by the server's clock, as ages are counted from them", async () => {
  await ledger.published([fact]);
  await ledger.begin([request(dlqId(2))], beginAt(now()));
  await advance(30_000);
  await stepBack(stand);
  await ledger.summary();
  await advance(60_000);
  expect(await ledger.summary()).toMatchObject({
    oldestPendingAt: now() - 90_000,
    oldestOpenAt: now() - 90_000,
  });
});

test("until then what is cool is told to be due by the server's clock", async () => {
  await ledger.begin([request(id)], beginAt(now()));
  await ledger.refused([{ dlqId: id, outcome: "refused", coolMs: 60_000 }], token("a"));
  await stepBack(stand);
  const { at } = await ledger.now();
  expect(await ledger.begin([request(id)], beginAt(at, "b"))).toMatchObject({
    verdicts: [{ kind: "cooling", dueAt: now() + 60_000 }],
  });
});
