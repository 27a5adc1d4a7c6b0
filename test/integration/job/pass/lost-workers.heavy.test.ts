import { describe, expect, it } from "vitest";
import type { DlqId, MessageId } from "../../../../src/job/message/dead-letter.ts";
import type { Window, WindowMark } from "../../../../src/job/contracts/passes.ts";
import { workWindow } from "../../../../src/job/pass/work-window.ts";
import { publishedFact } from "../../../support/ledger-stands.ts";
import { openWindow } from "../../../support/pass-with.ts";
import { useRedis } from "../../../support/redis.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { createRig, type Rig } from "../../../support/rig.ts";

const redis = useRedis();

type Under = WindowMark["under"];

/** A pass over `count` letters, whose window was lost by workers that had these under work; the first two say nothing. */
async function lostWith(
  count: number,
  losses: (ids: readonly DlqId[]) => readonly (readonly Under[])[],
  mode: "live" | "plan" = "live",
) {
  const rig = await createRig({ redisUrl: redis.url(), mode });
  const ids = rig.seed(count) as readonly string[] as readonly DlqId[];
  const work = await openWindow(rig, { hasStalled: true });
  await loseWorkers(rig, work, [[], [], ...losses(ids)]);
  return { rig, ids, work };
}

const times = (count: number, one: readonly Under[]): readonly (readonly Under[])[] =>
  Array.from({ length: count }, () => one);

let workers = 0;
async function loseWorkers(
  { drain }: Rig,
  { passId, windowId }: Awaited<ReturnType<typeof openWindow>>,
  losses: readonly (readonly Under[])[],
): Promise<void> {
  const { passes } = drain.source;
  for (const marks of losses) {
    const owner = `lost-${(workers += 1)}`;
    await passes.takeWindow(drain.config.name, passId, windowId, owner, true);
    for (const under of marks) {
      await passes.markWindow(drain.config.name, { passId, windowId, owner }, { under });
    }
  }
}

const parked = async ({ drain }: Rig, ids: readonly DlqId[]): Promise<readonly DlqId[]> => {
  const { views } = await drain.source.ledger.peek(ids);
  return ids.filter((_, index) => views[index]?.state === "parked");
};

describe("a record that was alone under work when three workers in a row were lost", () => {
  it("is worked again once a person has released it", async () => {
    const { rig, ids, work } = await lostWith(3, ([one]) => times(3, [[one!]]));
    const { verdict } = await workWindow(rig.drain, work);
    expect(verdict).toMatchObject({ tally: { parked: 1, reasons: { parked: { unworkable: 1 } } } });
    await rig.drain.source.ledger.release(ids, "by-person");
    expect(await rig.pass()).toMatchObject({ outcome: "complete", tally: { republished: 1 } });
    expect(rig.emulator.dlq.size).toBe(0);
  });

  it("is passed over in plan mode, which parks nothing", async () => {
    const { rig, ids, work } = await lostWith(3, ([one]) => times(3, [[one!]]), "plan");
    const { verdict } = await workWindow(rig.drain, work);
    expect(verdict).toMatchObject({ tally: { due: 2, parked: 1, reasons: { parked: { unworkable: 1 } } } });
    expect(await parked(rig, ids)).toEqual([]);
  });
});

it("workers that were killed from outside leave suspects, which are worked after all others, and all are sent once", async () => {
  const { rig, ids, work } = await lostWith(30, (all) => [
    [all.slice(0, 20)],
    [all.slice(2, 4)],
    [[all[1]!]],
  ]);
  const { verdict } = await workWindow(rig.drain, work);
  expect(verdict).toMatchObject({
    kind: "pass-closed",
    outcome: "complete",
    tally: { listed: 30, republished: 30 },
  });
  await rig.emulator.idle();
  expect([...rig.receiver.counts().values()]).toEqual(Array<number>(30).fill(1));
  expect(await parked(rig, ids)).toEqual([]);
  // The ten others, seventeen of twenty by twos, two of two and one alone.
  expect(rig.callsOf("batch")).toBe(1 + 9 + 2 + 1);
});

it("a listing that ends its workers is found to the millisecond and passed over for a day, and all others are sent", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  const ids = rig.seed(20) as readonly string[] as readonly DlqId[];
  const at = Number(ids[0]?.split("-")[0]);
  const covers = ({ from, to }: Window): boolean => from <= at && at <= to;
  const first = await openWindow(rig, { hasStalled: true });
  await loseWorkers(rig, first, [[], []]);
  let left: readonly Window[] = [{ windowId: first.windowId, from: 0, to: Infinity, depth: 0 }];
  let lost = 2;
  while (left.length > 0) {
    const { windowId } = left.find(covers) ?? left[0]!;
    const work = { ...first, windowId };
    if (left.some(covers)) {
      // Whoever lists this moment is lost.
      const taken = await rig.drain.source.passes.takeWindow(
        rig.drain.config.name,
        work.passId,
        windowId,
        `x-${lost}`,
        true,
      );
      if (taken?.care?.listings !== 2) {
        lost += 1;
        continue;
      }
      await rig.drain.source.passes.leaveWindow(rig.drain.config.name, { ...work, owner: `x-${lost}` });
    }
    const { split } = await workWindow(rig.drain, work);
    left = [...left.filter((one) => one.windowId !== windowId), ...split];
  }
  expect(lost).toBeLessThan(20);
  expect(rig.emulator.dlq.size).toBe(1);
  expect(rig.emulator.dlq.find(ids[0]!)).toBeDefined();
  expect(rig.eventsOf("pass:closed")).toMatchObject([
    { outcome: "partial", counts: { republished: 19, passedOver: 1 } },
  ]);
  rig.seed(1);
  expect(await rig.pass()).toMatchObject({ outcome: "partial", tally: { republished: 1, passedOver: 1 } });
});

describe("what a killed worker has left in flight", () => {
  it("is published and deleted by the next worker of its window, which waits for no takeover", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    const ids = rig.seed(6) as readonly string[] as readonly DlqId[];
    const { source, config } = rig.drain;
    const work = await openWindow(rig, { hasStalled: true });
    await loseWorkers(rig, work, [[]]);
    const { at: pageReadAt } = await source.ledger.now();
    const beginning = { token: source.identities.token(), drain: config.name, act: "republish" } as const;
    await source.ledger.begin(
      ids.slice(0, 4).map((dlqId) => ({ dlqId, messageId: "msg_x" as MessageId, attempt: 1 })),
      { ...beginning, pageReadAt, pastHorizon: "leave" },
    );
    await source.ledger.published(ids.slice(0, 2).map(publishedFact));
    const { at: publishedBy } = await source.ledger.now();
    // What was written in the millisecond of the loss counts as written after it.
    await waitFor(async () => expect((await source.ledger.now()).at).toBeGreaterThan(publishedBy));
    const { verdict } = await workWindow(rig.drain, work);
    expect(verdict).toMatchObject({ kind: "pass-closed", tally: { republished: 4, deleted: 6, inDoubt: 0 } });
    expect(rig.emulator.dlq.size).toBe(0);
    expect(rig.eventsOf("delete:short")).toEqual([]);
  });

  it("and so is what one that was stopped has left in doubt", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    rig.seed(4);
    rig.emulator.faults.add({ kind: "drop-answer", operation: "batch", count: 1 });
    const work = await openWindow(rig);
    const stop = new AbortController();
    const first = workWindow(rig.drain, { ...work, signal: stop.signal, stopping: stop.signal });
    first.catch(() => undefined);
    await waitFor(() => expect(rig.eventsOf("outcome:unknown").length).toBe(1));
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: "stopped" });
    expect(await workWindow(rig.drain, work)).toMatchObject({
      verdict: { tally: { deduplicated: 4, deleted: 4, inDoubt: 0 } },
    });
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()]).toEqual([1, 1, 1, 1]);
  });
});

it("a worker that gives its window back is not taken for lost", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(3);
  const work = await openWindow(rig);
  for (let times = 0; times < 3; times += 1) {
    const stopped = workWindow(rig.drain, { ...work, stopping: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ code: "stopped" });
  }
  const { passes } = rig.drain.source;
  const taken = await passes.takeWindow(rig.drain.config.name, work.passId, work.windowId, "x", true);
  expect(taken).toMatchObject({ care: null });
});
