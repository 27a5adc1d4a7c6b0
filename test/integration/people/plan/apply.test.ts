import { describe, expect, it } from "vitest";
import type { DlqId, MessageId } from "../../../../src/job/message/dead-letter.ts";
import type { DrainName, Token } from "../../../../src/job/contracts/ids.ts";
import type { ApplyWait } from "../../../../src/people/plan/apply.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import { planHere, shortLimits } from "../../../support/planned.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";
import { skipAsDayEnds } from "../../../support/day-end.ts";

const redis = useRedis();
const main = "main" as DrainName;

/** The same, with something that happens after the order was chosen and before it is acted on. */
function betweenChoiceAndAct({ drain }: Rig, happens: () => Promise<void>): DrainRuntime {
  const { audit } = drain.source;
  const told: typeof audit = {
    record: audit.record.bind(audit),
    append: async (entries) => {
      await audit.append(entries);
      if (entries.some(({ act }) => act === "apply")) await happens();
    },
  };
  return { ...drain, source: { ...drain.source, audit: told } };
}

describe("an apply", () => {
  it("skips what is decided otherwise at the last moment, though the rules would act on it", async () => {
    const rig = await createRig({
      redisUrl: redis.url(),
      mode: "plan",
      drain: `
    minAge: 0s
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`,
    });
    const [broken] = rig.seed(1, { responseStatus: 422 }) as DlqId[];
    rig.seed(3);
    const apply = await planHere(rig.drain);
    const { ledger } = rig.drain.source;

    const applied = await apply(
      betweenChoiceAndAct(rig, async () => {
        const by = { drain: main, rulesHash: rig.drain.config.rulesHash, token: null };
        await ledger.park([{ dlqId: broken!, reason: "rule", attempt: 0 }], by);
        await ledger.release([broken!], "by-person");
      }),
    );

    expect(applied).toMatchObject({ tally: { republished: 3, parked: 0 }, left: 0, stop: null });
    expect(applied.skips).toEqual({
      gone: 0,
      changed: 0,
      otherwise: 1,
      examples: [
        {
          dlqId: broken,
          why: "otherwise",
          was: { then: "park", reason: "rule", rule: "broken" },
          is: expect.objectContaining({ then: "republish" }) as unknown,
        },
      ],
    });
    expect(rig.emulator.journal.counts().accepted).toBe(3);
    expect(rig.emulator.dlq.size).toBe(1);
  });

  it("tells what a daemon did meanwhile as such, so that the counts add up", async () => {
    const options = {
      redisUrl: redis.url(),
      drain: `
    minAge: 0s
    limits: { publish: 1000/s, perHost: none }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`,
    };
    const rig = await createRig({ ...options, mode: "plan" });
    const daemon = await createRig({ ...options, twinOf: rig });
    rig.seed(20, { responseStatus: 422 });
    rig.seed(230);
    const apply = await planHere(rig.drain);
    let passes = 0;
    const applied = await apply(
      // The listing of the first page is done, those of the others are not.
      betweenChoiceAndAct(rig, async () => {
        passes += 1;
        if (passes === 2) await daemon.pass();
      }),
    );
    const { tally, dropped, meanwhile, left } = applied;
    expect(meanwhile).toBeGreaterThan(100);
    expect(tally.republished).toBeGreaterThan(50);
    expect(tally.republished + tally.parked + dropped + meanwhile + left).toBe(250);
    expect(applied).toMatchObject({ left: 0, skips: { gone: 0, changed: 0, otherwise: 0 }, stop: null });
    expect(rig.emulator.journal.counts().accepted).toBe(230);
  });

  it(
    "waits for what is in somebody's hands until it may be taken over, and then ends it",
    { timeout: 60_000 },
    async () => {
      const rig = await createRig({ redisUrl: redis.url(), mode: "plan", ...shortLimits });
      const [taken] = rig.seed(4) as DlqId[];
      const waits: ApplyWait[] = [];
      const apply = await planHere(rig.drain, (wait) => waits.push(wait));
      const { ledger } = rig.drain.source;
      const begun = await ledger.begin([{ dlqId: taken!, messageId: "m" as MessageId, attempt: 1 }], {
        token: "somebody" as Token,
        drain: main,
        act: "republish",
        pageReadAt: (await ledger.now()).at,
        pastHorizon: "leave",
      });
      expect(begun).toMatchObject({ kind: "answered", verdicts: [{ kind: "begun" }] });

      // Its waits move the clock; the watch for a pause takes the seconds that it takes.
      const { source } = rig.drain;
      const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
        ms > 1_000 ? Promise.resolve(rig.advance(ms)) : source.clock.sleep(ms, signal);
      const drain = { ...rig.drain, source: { ...source, clock: { ...source.clock, sleep } } };
      expect(await apply(drain)).toMatchObject({
        tally: { republished: 4 },
        left: 0,
        leftReasons: {},
        stop: null,
      });
      expect(rig.emulator.dlq.size).toBe(0);
      expect(waits[0]).toMatchObject({ left: 1, reasons: { "in-flight": 1 } });
      expect(waits[0]!.nextCheckMs).toBeGreaterThan(10_000);
      expect(waits[0]!.nextCheckMs).toBeLessThan(17_100);
    },
  );

  it("looks soon for what another worker has published and deletes, and deletes it itself if that died", async () => {
    const rig = await createRig({ redisUrl: redis.url(), mode: "plan", ...shortLimits });
    const [theirs] = rig.seed(2) as DlqId[];
    const waits: ApplyWait[] = [];
    const apply = await planHere(rig.drain, (wait) => waits.push(wait));
    const { source } = rig.drain;
    const [as, messageId] = ["new", "old"] as MessageId[];
    await source.ledger.published([
      { dlqId: theirs!, as: as!, messageId: messageId!, attempt: 1, deletePending: true, drain: main },
    ]);
    const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
      ms > 1_000 ? Promise.resolve(rig.advance(ms)) : source.clock.sleep(ms, signal);
    const drain = { ...rig.drain, source: { ...source, clock: { ...source.clock, sleep } } };
    expect(await apply(drain)).toMatchObject({ tally: { republished: 1, deleted: 2 }, left: 0, stop: null });
    expect(waits[0]).toMatchObject({ left: 1, reasons: { "published-before": 1 }, nextCheckMs: 5_000 });
    expect(waits[1]!.nextCheckMs).toBeGreaterThan(9_000);
    expect(rig.emulator.dlq.size).toBe(0);
  });

  it("says of each record that it leaves why, and what it never reached", async ({ skip }) => {
    skipAsDayEnds(skip);
    const rig = await createRig({
      redisUrl: redis.url(),
      mode: "plan",
      drain: `
    minAge: 0s
    limits: { perDay: 30 }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`,
    });
    rig.seed(150);
    const apply = await planHere(rig.drain);
    const applied = await apply();
    expect(applied).toMatchObject({ left: 120, leftReasons: { "day-limit": 120 }, stop: null });

    rig.emulator.faults.add({ kind: "status", operation: "list", status: 401 });
    const again = await apply();
    expect(again).toMatchObject({ left: 120, leftReasons: { "not-reached": 120 }, stop: { kind: "failed" } });
  });
});
