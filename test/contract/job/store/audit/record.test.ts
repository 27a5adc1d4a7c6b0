import { beforeEach, describe, expect, test } from "vitest";
import {
  auditLimits,
  type AuditLimits,
  createRedisAudit,
} from "../../../../../src/job/store/audit/redis-audit.ts";
import { mergeReaders } from "../../../../../src/job/store/audit/merge-readers.ts";
import type {
  Audit,
  AuditEntry,
  AuditQuery,
  AuditReader,
  NewAuditEntry,
} from "../../../../../src/job/contracts/audit.ts";
import type { DlqId, MessageId } from "../../../../../src/job/message/dead-letter.ts";
import type { DrainName, SourceId, Token } from "../../../../../src/job/contracts/ids.ts";
import type { BeginAnswer } from "../../../../../src/job/contracts/ledger.ts";
import { createRedisLedger } from "../../../../../src/job/store/ledger/redis-ledger.ts";
import { createRedisPauseBook } from "../../../../../src/job/store/pauses/redis-pause-book.ts";
import {
  defaultLimits,
  horizonMs,
  onClock,
  publishedFact,
  request,
} from "../../../../support/ledger-stands.ts";
import { idsOf } from "../../../../support/audit-entry.ts";
import { createManualClock } from "../../../../support/manual-clock.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const source = "eu" as SourceId;
const orders = "orders" as DrainName;

function entry(fields: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return { act: "park", by: "daemon pod-7", source, drain: orders, records: [{ dlqId: "1-0" }], ...fields };
}

async function read(reader: AuditReader, query: Partial<AuditQuery> = {}): Promise<readonly AuditEntry[]> {
  const entries = [];
  for await (const one of reader.read({ order: "newest-first", ...query })) entries.push(one);
  return entries;
}

const page = (of: number): readonly { readonly dlqId: string }[] =>
  Array.from({ length: 100 }, (_, n) => ({ dlqId: `${of}-${n}` }));

const keyOf = ({ keyPrefix }: { readonly keyPrefix: string }, key: string): string =>
  `${keyPrefix}:v1:{${source}}:${key}`;

const create = (limits: Partial<AuditLimits> = {}, of = source): Audit & AuditReader =>
  createRedisAudit(redis.fresh(), of, { ...auditLimits, ...limits });

let audit: Audit & AuditReader;
beforeEach(() => {
  audit = create();
});

describe("the audit", () => {
  test("gives what is skimmed by act alone, and whole from the entry on that is asked for in between", async () => {
    const some = Array.from({ length: 400 }, (_, n) => entry({ records: [{ dlqId: `${n}-0` }] }));
    await audit.append([...some, entry({ act: "pause", drain: null, records: [] }), ...some]);
    for (const order of ["newest-first", "oldest-first"] as const) {
      let isAsked = false;
      const told: number[] = [];
      for await (const { act, records } of audit.read({ order, skims: () => !isAsked })) {
        if (act === "park") told.push(records.length);
        isAsked ||= told.length === 250;
      }
      expect(told).toEqual(Array.from({ length: 800 }, (_, at) => (at < 250 ? 0 : 1)));
    }
  });

  test("keeps the move of a lane, which no dead letter's history shows", async () => {
    const counts = { why: "3 of 5 failed again, 503", sent: 5, comeBacks: 3 };
    const lane = { origin: "https://a.example", from: "open", to: "halted", ...counts } as const;
    const move = entry({ act: "lane-halted", lane, records: [] });
    await audit.record([move]);
    expect(await read(audit)).toEqual([{ ...move, at: expect.any(Number) }]);
    expect(await read(audit, { drain: orders })).toHaveLength(1);
    expect(await read(audit, { drain: "other" as DrainName })).toEqual([]);
    expect(await read(audit, { dlqIds: new Set(["1-0"]) })).toEqual([]);
  });

  test("keeps every field of an entry, and says when it was written", async () => {
    const before = Date.now();
    const whole = entry({
      act: "republish",
      passId: "p1",
      documentHash: "h1",
      why: "receiver is back",
      records: [
        { dlqId: "1-0", rule: "outage", reason: "due", attempt: 1, notes: ["queue-delay"] },
        { dlqId: "1-1", rule: null, reason: "due", as: "msg_1", parent: "0-9" },
        { dlqId: "1-2", rule: "outage", reason: "due", attempt: 1, notes: ["queue-delay"], parent: "0-8" },
      ],
    });
    const stop = entry({ act: "pause", by: "ann", drain: null, records: [] });
    await audit.append([whole, stop]);
    const [pause, republish] = await read(audit);
    expect(pause).toEqual({ ...stop, at: expect.any(Number) });
    expect(republish).toEqual({
      ...whole,
      at: expect.any(Number),
      records: expect.arrayContaining([...whole.records]),
    });
    expect(republish?.records).toHaveLength(3);
    expect(republish?.at).toBeGreaterThanOrEqual(before - 1_000);
    expect(republish?.at).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  test("is read newest first or oldest first, across pages", async () => {
    const all = Array.from({ length: 250 }, (_, n) => entry({ records: [{ dlqId: `${n}-0` }] }));
    await audit.append(all.slice(0, 120));
    for (const one of all.slice(120)) await audit.append([one]);
    const ids = all.map((_, n) => `${n}-0`);
    expect(idsOf(await read(audit, { order: "oldest-first" }))).toEqual(ids);
    expect(idsOf(await read(audit))).toEqual(ids.toReversed());
  });

  test("keeps more than 100 records of one entry as several", async () => {
    const ids = Array.from({ length: 250 }, (_, n) => `1-${n}`);
    await audit.append([entry({ records: ids.map((dlqId) => ({ dlqId })) })]);
    const entries = await read(audit, { order: "oldest-first" });
    expect(entries.map(({ records }) => records.length)).toEqual([100, 100, 50]);
    expect(idsOf(entries)).toEqual(ids);
  });

  test("finds a dead letter, and leaves the other records of its entries out", async () => {
    await audit.append([
      entry({ records: [{ dlqId: "1-0" }, { dlqId: "11-0" }, { dlqId: "1-00" }] }),
      entry({ act: "delete", records: [{ dlqId: "1-0" }] }),
      entry({ records: [{ dlqId: "2-0" }] }),
    ]);
    const entries = await read(audit, { dlqIds: new Set(["1-0"]) });
    expect(entries.map(({ act, records }) => [act, records])).toEqual([
      ["delete", [{ dlqId: "1-0" }]],
      ["park", [{ dlqId: "1-0" }]],
    ]);
    expect(await read(audit, { dlqIds: new Set(["9-9"]) })).toEqual([]);
  });

  test("finds what was done in a drain, to all drains at once included", async () => {
    await audit.append([
      entry(),
      entry({ drain: "refunds" as DrainName }),
      entry({ act: "pause", drain: null, records: [] }),
      entry({ act: "delete", drain: null }),
    ]);
    const entries = await read(audit, { drain: orders });
    expect(entries.map(({ act, drain }) => [act, drain])).toEqual([
      ["pause", null],
      ["park", "orders"],
    ]);
  });

  test("finds what was done in a span of time, both ends included", async () => {
    await audit.append([entry({ records: [{ dlqId: "1-0" }] })]);
    const [first] = await read(audit);
    await expect.poll(() => Date.now()).toBeGreaterThan((first?.at ?? 0) + 2);
    await audit.append([entry({ records: [{ dlqId: "2-0" }] })]);
    const [second] = await read(audit);
    const at = { first: first?.at ?? 0, second: second?.at ?? 0 };
    expect(at.second).toBeGreaterThan(at.first);
    expect(idsOf(await read(audit, { since: at.second }))).toEqual(["2-0"]);
    expect(idsOf(await read(audit, { until: at.second - 1 }))).toEqual(["1-0"]);
    expect(idsOf(await read(audit, { since: at.first, until: at.second }))).toEqual(["2-0", "1-0"]);
    expect(idsOf(await read(audit, { since: at.second + 1 }))).toEqual([]);
  });

  test("follows a message through its dead letters, up and down", async () => {
    const t = Date.now();
    const [a, b, c, other] = [`${t}-1`, `${t + 1}-2`, `${t + 2}-3`, `${t + 1}-4`] as const;
    await audit.append([
      entry({ act: "republish", records: [{ dlqId: a }, { dlqId: other }] }),
      entry({ act: "published", records: [{ dlqId: a, as: "msg_1" }] }),
      entry({ act: "delete", records: [{ dlqId: a }, { dlqId: other }] }),
      entry({ act: "republish", records: [{ dlqId: b, parent: a }] }),
      entry({ act: "delete", records: [{ dlqId: b }] }),
      entry({ act: "park", records: [{ dlqId: c, parent: b }] }),
    ]);
    for (const asked of [a, b, c]) expect(await audit.lineageOf(asked)).toEqual(new Set([a, b, c]));
    expect(await audit.lineageOf(other)).toEqual(new Set([other]));
    expect(await audit.lineageOf("9-9")).toEqual(new Set(["9-9"]));
    expect(idsOf(await read(audit, { dlqIds: await audit.lineageOf(c) }))).toEqual([c, b, b, a, a, a]);
  });

  test("ends no search for a lineage that runs in a circle", async () => {
    await audit.append([
      entry({ records: [{ dlqId: "1-0", parent: "2-0" }] }),
      entry({ records: [{ dlqId: "2-0", parent: "1-0" }] }),
    ]);
    expect(await audit.lineageOf("1-0")).toEqual(new Set(["1-0", "2-0"]));
  });

  test("forgets what is older than it keeps", async () => {
    const audit = create({ keepMs: 500 });
    const many = Array.from({ length: 300 }, (_, n) => entry({ records: [{ dlqId: `1-${n}` }] }));
    await audit.append(many);
    await expect
      .poll(
        async () => {
          await audit.append([entry({ records: [{ dlqId: "2-0" }] })]);
          return idsOf(await read(audit)).includes("1-0");
        },
        { interval: 20, timeout: 30_000 },
      )
      .toBe(false);
    expect(idsOf(await read(audit))).toContain("2-0");
  });

  test.each([
    ["", 400],
    [", also if its count of bytes is lost", 250],
  ])("does not outgrow its size, and keeps the newest%s", async (_name, lostAfter) => {
    const connection = redis.fresh();
    const audit = createRedisAudit(connection, source, { ...auditLimits, maxBytes: 100_000 });
    for (let n = 0; n < 400; n += 1) {
      if (n === lostAfter) await connection.command("DEL", keyOf(connection, "audit:bytes"));
      await audit.append([entry({ records: page(n) })]);
    }
    const entries = await read(audit);
    const bytes = entries.reduce(
      (sum, one) => sum + JSON.stringify(one.records.map((r) => r.dlqId)).length,
      0,
    );
    expect(bytes).toBeLessThan(110_000);
    expect(entries.length).toBeGreaterThan(20);
    expect(entries[0]?.records[0]?.dlqId).toBe("399-0");
    expect(await mergeReaders([create({}, "us" as SourceId), audit]).cutAt()).toBe(entries.at(-1)?.at);
  });

  test("has not reached its size after a few acts", async () => {
    const audit = create();
    expect(await audit.cutAt()).toBe(0);
    await audit.append([entry({ records: page(1) })]);
    expect(await audit.cutAt()).toBe(0);
  });

  test("of several sources is read as one, in the order of time", async () => {
    const eu = create();
    const us = create({}, "us" as SourceId);
    for (const [index, audit] of [eu, us, us, eu].entries()) {
      await audit.append([entry({ records: [{ dlqId: `${index}-0`, parent: "0-0" }] })]);
      // Taken after the call: the next entry is of a later millisecond, however long the call took.
      const written = Date.now();
      await expect.poll(() => Date.now()).toBeGreaterThan(written + 1);
    }
    const both = mergeReaders([eu, us]);
    const entries = await read(both);
    expect(idsOf(entries)).toEqual(["3-0", "2-0", "1-0", "0-0"]);
    expect(entries.map((one) => one.source)).toEqual(["eu", "us", "us", "eu"]);
    expect(idsOf(await read(both, { order: "oldest-first" }))).toEqual(["0-0", "1-0", "2-0", "3-0"]);
    expect(await both.lineageOf("0-0")).toEqual(new Set(["0-0", "1-0", "2-0", "3-0"]));
  });
});

describe("entries that ride on a call of the ledger", () => {
  const republish = entry({ act: "republish", records: [{ dlqId: "1-0" }, { dlqId: "1-1" }] });
  const ids = ["1-0", "1-1"] as DlqId[];

  function stand(limits: Partial<AuditLimits> = {}) {
    const time = createManualClock();
    const connection = onClock(redis.fresh(), time);
    const observed: NewAuditEntry[] = [];
    const audit = createRedisAudit(connection, source, { ...auditLimits, ...limits }, (one) =>
      observed.push(one),
    );
    const identity = { epochSeed: () => "epoch" };
    const ledger = createRedisLedger(connection, source, defaultLimits, identity, audit.riding);
    const beginAs = async (token: string, given = ids): Promise<BeginAnswer> =>
      ledger.begin(
        given.map((id) => request(id)),
        {
          token: token as Token,
          drain: orders,
          act: "republish",
          pageReadAt: (await ledger.now()).at,
          pastHorizon: "new-series",
          audit: [republish],
        },
      );
    return { connection, audit, ledger, observed, beginAs, advance: time.advance };
  }

  test("are written and observed with it if all are begun", async () => {
    const { audit, observed, beginAs } = stand();
    expect(await beginAs("a")).toMatchObject({ kind: "answered", audited: true });
    expect(await read(audit)).toEqual([{ ...republish, at: expect.any(Number) }]);
    expect(observed).toEqual([republish]);
  });

  test("are left to the caller if one is not begun, or none is", async () => {
    const { connection, audit, observed, beginAs } = stand();
    await beginAs("a", ["1-0" as DlqId]);
    const before = await read(audit);
    expect(await beginAs("b")).toMatchObject({ verdicts: [{ kind: "in-flight" }, { kind: "begun" }] });
    await createRedisPauseBook(connection, source).pause({ drain: orders, by: "ann", reason: "", at: 1 });
    expect(await beginAs("d", ["1-2" as DlqId])).toMatchObject({ kind: "paused" });
    expect(await read(audit)).toEqual(before);
    expect(observed).toHaveLength(1);
  });

  test("are left to the caller if a double is declared, which they do not name", async () => {
    const { audit, advance, beginAs } = stand();
    await beginAs("a");
    advance(horizonMs + 1);
    const answer = await beginAs("b");
    expect(answer).toMatchObject({ verdicts: [{ declaredDouble: "unknown-outcome-past-window" }, {}] });
    expect(answer).not.toHaveProperty("audited");
    expect(await read(audit)).toHaveLength(1);
  });

  test("of a publication are written if it is the first, and left to the caller if it is a double", async () => {
    const { audit, ledger, beginAs } = stand();
    await beginAs("a");
    const published = entry({ act: "published", records: [{ dlqId: "1-0", as: "msg_1-0" }] });
    const entries = [published, entry({ act: "delete", records: [{ dlqId: "1-0" }] })];
    expect(await ledger.published([publishedFact("1-0")], entries)).toMatchObject({ audited: true });
    const acts = (await read(audit, { order: "oldest-first" })).map(({ act }) => act);
    expect(acts).toEqual(["republish", "published", "delete"]);
    const other = { ...publishedFact("1-0"), as: "msg_other" as MessageId };
    expect(await ledger.published([other], entries)).not.toHaveProperty("audited");
    expect(await read(audit)).toHaveLength(3);
  });

  test("are stored as they would be alone, whatever the call names and the ids are", async () => {
    const { connection, audit, ledger } = stand();
    const odd = ["\u0001", '"i":"\u0001"', "%1", 'a","b', "1-2"] as DlqId[];
    const messages = odd.map((id) => `msg_\u0002${id}` as MessageId);
    const texts = async (): Promise<readonly unknown[]> => {
      const stream = `${connection.keyPrefix}:v1:{${source}}:audit`;
      const entries = (await connection.command("XRANGE", stream, "-", "+")) as [string, string[]][];
      return entries.map(([, [, text]]) => text);
    };
    const all = odd.map((dlqId) => ({ dlqId, rule: '"i":"\\u0001"', host: "\u0001" }));
    const proven = odd.map((dlqId, n) => ({ dlqId, as: messages[n]!, attempt: 1 }));
    const entries = [
      [all, all.slice(1), all.toReversed(), all.map((one, n) => ({ ...one, attempt: n % 2 }))],
      [proven, proven.map((one) => ({ ...one, as: "msg_other" })), all, proven.slice(1)],
    ].map((some, n) => some.map((records) => entry({ act: n === 0 ? "republish" : "published", records })));
    const options = { token: "a" as Token, drain: orders, act: "republish", pastHorizon: "leave" } as const;
    const begun = await ledger.begin(
      odd.map((id) => request(id)),
      { ...options, pageReadAt: (await ledger.now()).at, audit: entries[0]! },
    );
    const facts = odd.map((id, n) => ({ ...publishedFact(id), as: messages[n]! }));
    for (const answer of [begun, await ledger.published(facts, entries[1])]) {
      expect(answer).toMatchObject({ audited: true });
    }
    const ridden = await texts();
    await audit.record(entries.flat());
    expect(ridden).toHaveLength(8);
    expect((await texts()).slice(8)).toEqual(ridden);
  });

  test("wait for entries that could not be written earlier", async () => {
    const { audit, beginAs, connection } = stand();
    const stream = `${connection.keyPrefix}:v1:{${source}}:audit`;
    await connection.command("SET", stream, "not a stream");
    await audit.record([entry({ act: "copy" })]);
    await connection.command("DEL", stream);
    expect(await beginAs("a")).not.toHaveProperty("audited");
    await audit.append([republish]);
    expect((await read(audit, { order: "oldest-first" })).map(({ act }) => act)).toEqual([
      "copy",
      "republish",
    ]);
    expect(await beginAs("b", ["1-2" as DlqId])).toMatchObject({ audited: true });
  });
});
