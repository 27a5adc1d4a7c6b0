import { beforeEach, describe, expect, test } from "vitest";
import { createRedisCapacity } from "../../../../../src/job/store/capacity/redis-capacity.ts";
import { otherDrain, twice } from "../../../../support/ledger-stands.ts";
import { createCapacityStand, granted, pass, query, requests } from "../../../../support/capacity-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const create = () => createCapacityStand(redis.fresh());
const perSecond = (count: number) => ({ count, perMs: 1_000 });
const perMinute = (count: number) => ({ count, perMs: 60_000 });
const perHour = (count: number) => ({ count, perMs: 3_600_000 });
const midnight = Date.UTC(2025, 9, 10);

type Stand = Awaited<ReturnType<typeof create>>;
let capacity: Stand["capacity"];
let now: Stand["now"];
let twin: Stand["twin"];
let advance: Stand["advance"];
beforeEach(() => {
  ({ capacity, now, twin, advance } = create());
});

/** Of each: its kind, or what it waits for, and until when. */
const inWords = ({ verdicts }: Awaited<ReturnType<typeof capacity.take>>) =>
  verdicts.map((one) => (one.kind === "wait" ? `${one.by} ${one.until - now()}` : one.kind));

describe("capacity", () => {
  test("grants everything where nothing limits, and answers nothing to nothing", async () => {
    expect(await granted(capacity, query({ requests: requests(100) }))).toBe(100);
    expect(await capacity.take(query({}))).toEqual({ verdicts: [], at: now() });
  });

  test("says for each that waits when its turn would come, in the order asked", async () => {
    const limits = { publish: perSecond(2) };
    await capacity.take(query({ limits, requests: requests(1) }));
    await advance(300);
    const [first, ...waits] = inWords(await capacity.take(query({ limits, requests: requests(6) })));
    expect(first).toBe("granted");
    expect(waits).toEqual([700, 1_000, 1_700, 2_000, 2_700].map((ms) => `publish ${ms}`));
  });

  test("keeps a host at its rate while the others go on, and names what each waits for", async () => {
    const limits = { publish: perSecond(20), perHost: perSecond(2) };
    const asked = [
      ...requests(5, { host: "slow.example.com" }),
      ...requests(2, { host: "fast.example.com" }),
      ...requests(1, { host: "queue:mails" }),
    ];
    const words = inWords(await capacity.take(query({ limits, requests: asked })));
    expect(words.slice(0, 5)).toEqual(["granted", "granted", "host 1000", "host 1000", "host 2000"]);
    expect(words.slice(5)).toEqual(["granted", "granted", "granted"]);
  });

  test("holds a rule to its own rate", async () => {
    const limited = requests(3, { rule: "bad deploy {eu}", ruleLimit: perMinute(60) });
    const words = inWords(await capacity.take(query({ requests: [...limited, ...requests(2)] })));
    expect(words).toEqual(["granted", "rule 1000", "rule 2000", "granted", "granted"]);
  });

  test("counts each drain for itself", async () => {
    const asked = query({ limits: { publish: perSecond(5), perDay: 5 }, requests: requests(9) });
    expect(await granted(capacity, asked)).toBe(5);
    expect(await granted(capacity, { ...asked, drain: otherDrain })).toBe(5);
  });

  test("ends a pass at its ceiling, and starts the next one anew", async () => {
    const asked = query({ limits: { perPass: 12 }, requests: requests(8) });
    expect(await granted(capacity, asked)).toBe(8);
    const { verdicts } = await twin.take(asked);
    expect(verdicts.slice(3)).toEqual([
      { kind: "granted" },
      ...Array.from({ length: 4 }, () => ({ kind: "ceiling", by: "pass", until: null })),
    ]);
    await advance(3_600_000);
    expect(await granted(capacity, asked)).toBe(0);
    expect(await granted(capacity, { ...asked, passId: pass("p2") })).toBe(8);
    expect(await granted(capacity, { ...asked, passId: null })).toBe(8);
  });

  test("ends a day at its ceiling, for all passes together, until the next UTC day", async () => {
    await advance(midnight - now() - 1);
    const asked = query({ limits: { perDay: 10, perPass: 9 }, requests: requests(8) });
    expect(await granted(capacity, asked)).toBe(8);
    const { verdicts } = await capacity.take({ ...asked, passId: pass("p2") });
    expect(verdicts.slice(1)).toEqual([
      { kind: "granted" },
      ...Array.from({ length: 6 }, () => ({ kind: "ceiling", by: "day", until: midnight })),
    ]);
    await advance(1);
    expect(await granted(capacity, { ...asked, passId: pass("p3") })).toBe(8);
  });

  test("tells what its ceilings have granted, of this day and of a pass, and takes nothing by it", async () => {
    const asked = query({ limits: { perDay: 20, perPass: 9 }, requests: requests(8) });
    const dayEndsAt = midnight;
    expect(await capacity.used(asked)).toEqual({ day: 0, pass: 0, dayEndsAt, at: now() });
    await capacity.take(asked);
    const { at } = await capacity.take({ ...asked, passId: pass("p2"), requests: requests(2) });
    await capacity.take({ ...asked, passId: pass("p2"), requests: requests(3, { post: "again" }) });
    await capacity.take({ ...asked, drain: otherDrain });
    expect(await twin.used(asked)).toEqual({ day: 10, pass: 8, dayEndsAt, at: now() });
    expect(await twin.used({ ...asked, passId: pass("p2") })).toMatchObject({ day: 10, pass: 2 });
    expect(await twin.used({ ...asked, passId: null })).toMatchObject({ day: 10, pass: 0 });
    await capacity.giveBack({ ...asked, passId: pass("p2"), requests: requests(1) }, at);
    expect(await twin.used({ ...asked, passId: pass("p2") })).toMatchObject({ day: 9, pass: 1 });
    await advance(midnight - now());
    expect(await twin.used(asked)).toMatchObject({ day: 0, dayEndsAt: midnight + 86_400_000 });
    expect(await granted(capacity, { ...asked, passId: pass("p3") })).toBe(8);
    expect(await twin.used(asked)).toMatchObject({ day: 8 });
  });

  test("gives back what led to no POST: rates, pass and day are as before", async () => {
    const asked = query({
      limits: { publish: perSecond(10), perHost: perSecond(10), perPass: 10, perDay: 10 },
      requests: requests(10, { ruleLimit: perSecond(10) }),
    });
    const { at } = await capacity.take(asked);
    await advance(400);
    await twin.giveBack({ ...asked, requests: asked.requests.slice(0, 4) }, at);
    expect(await granted(capacity, asked)).toBe(4);
    await advance(600);
    // The six of the first moment are free again; the four were taken later. The ceilings are reached.
    const unlimited = { ...asked, limits: { publish: perSecond(10) } };
    expect(await granted(capacity, unlimited)).toBe(6);
    expect(await granted(capacity, asked)).toBe(0);
  });

  test("moves a grant to now, and asks no ceiling for it", async () => {
    const limits = { publish: perSecond(10), perHost: perSecond(10), perPass: 10, perDay: 10 };
    const asked = query({ limits, requests: requests(10, { ruleLimit: perSecond(10) }) });
    const { at } = await capacity.take(asked);
    await advance(400);
    const moved = requests(4, { ruleLimit: perSecond(10), grantedAt: at });
    expect(await twin.take({ ...asked, requests: moved })).toEqual({
      verdicts: moved.map(() => ({ kind: "granted" })),
      at: now(),
    });
    expect(await capacity.used(asked)).toMatchObject({ pass: 10, day: 10 });
    await advance(600);
    const unlimited = { ...asked, limits: { publish: perSecond(10) } };
    expect(await granted(capacity, unlimited)).toBe(6);
    await advance(400);
    expect(await granted(capacity, unlimited)).toBe(4);
  });

  test("moves a grant that counts no longer only if there is room, and else leaves it to every rate", async () => {
    const limits = { publish: perSecond(2) };
    const slow = { rule: "slow", ruleLimit: perHour(1) };
    const { at } = await capacity.take(query({ limits, requests: requests(1, slow) }));
    await advance(1_000);
    expect(await granted(capacity, query({ limits, requests: requests(2) }))).toBe(2);
    const moved = query({ limits, requests: requests(1, { ...slow, grantedAt: at }) });
    expect((await capacity.take(moved)).verdicts).toMatchObject([{ kind: "wait" }]);
    await advance(1_000);
    expect(await granted(capacity, query({ limits, requests: requests(1, slow) }))).toBe(0);
    expect(await granted(capacity, moved)).toBe(1);
    await advance(3_600_000 - 1);
    expect(now() - at).toBeGreaterThan(3_600_000);
    expect(await granted(capacity, query({ limits, requests: requests(1, slow) }))).toBe(0);
  });

  test("gives back nothing that counts no longer", async () => {
    await advance(midnight - now() - 1_000);
    const asked = query({ limits: { publish: perSecond(5), perDay: 5 }, requests: requests(5) });
    const { at } = await capacity.take(asked);
    await advance(1_000);
    expect(await granted(capacity, asked)).toBe(5);
    await capacity.giveBack(asked, at);
    expect(await granted(capacity, asked)).toBe(0);
    const rateOnly = { ...asked, limits: { publish: perSecond(5) } };
    expect(await granted(capacity, rateOnly)).toBe(0);
    await advance(1_000);
    // Another day began in between: what was taken of the old one gives nothing to the new one.
    expect(await granted(capacity, asked)).toBe(0);
  });

  test("follows a rate that a document changes, against what is granted already", async () => {
    const asked = query({ limits: { publish: perSecond(10) }, requests: requests(10) });
    expect(await granted(capacity, asked)).toBe(10);
    const lower = await twin.take({ ...asked, limits: { publish: perSecond(4) } });
    expect(lower.verdicts[0]).toEqual({ kind: "wait", by: "publish", until: now() + 1_000 });
    expect(await granted(twin, { ...asked, limits: { publish: perSecond(14) } })).toBe(4);
    await advance(1_000);
    expect(await granted(twin, { ...asked, limits: { publish: perSecond(4) } })).toBe(4);
  });
});

describe("capacity in Redis", () => {
  test("a give-back that is sent twice gives back once", async () => {
    const connection = redis.fresh();
    const plain = createRedisCapacity(connection, { token: () => "never" });
    const doubled = createRedisCapacity(
      { keyPrefix: connection.keyPrefix, run: twice(connection).run },
      { token: () => "once" },
    );
    const asked = query({ limits: { perPass: 10, perDay: 10 }, requests: requests(10) });
    const { at } = await plain.take(asked);
    await doubled.giveBack({ ...asked, requests: requests(3) }, at);
    expect(await granted(plain, asked)).toBe(3);
  });
});
