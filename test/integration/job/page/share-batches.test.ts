import { describe, expect, it } from "vitest";
import { createSharedBatches } from "../../../../src/job/page/share-batches.ts";
import type { PageOutcome } from "../../../../src/job/page/page-report.ts";
import type { Page } from "../../../../src/job/page/letter.ts";
import { workPage } from "../../../../src/job/page/work-page.ts";
import type { Tally } from "../../../../src/job/contracts/tally.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import { createRig, oneWindow, pagesSideBySide, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const never = new AbortController().signal;

const drain = `
    minAge: 0s
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

/** Pages of this many records of the DLQ, as their GETs answered. */
async function listPages(rig: Rig, count: number) {
  const { source } = rig.drain;
  const { at: readAt } = await source.ledger.now();
  const pages = [];
  let cursor: string | undefined;
  do {
    const query = { select: {}, count, ...(cursor === undefined ? {} : { cursor }) };
    const page = await source.service.list(query, never);
    pages.push({ records: page.records, readAt });
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

const away = () => Promise.reject(new RedriverError("redis-unavailable", "away"));

/** As a window works its pages. */
async function workShared(
  drain: DrainRuntime,
  page: Page,
  shared: ReturnType<typeof createSharedBatches>,
): Promise<PageOutcome> {
  const batches = shared.join();
  return workPage(drain, page, never, { batches }).finally(batches.leave);
}

const posts = (rig: Rig): number => rig.emulator.journal.counts().requests["batch 200"] ?? 0;

describe("pages of one window", () => {
  it("fill their batches together, and each gets its own results", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    rig.seed(120);
    const pages = await listPages(rig, 40);
    const shared = createSharedBatches(rig.drain, never);
    const works = pages.map((page) => workShared(rig.drain, page, shared));
    const outcomes = await Promise.all(works);
    expect(outcomes.map(({ tally }) => [tally.republished, tally.deleted])).toEqual([
      [40, 40],
      [40, 40],
      [40, 40],
    ]);
    expect(posts(rig)).toBe(2);
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()]).toEqual(Array<number>(120).fill(1));
  });

  it("publish a record once that two of them list", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    rig.seed(10);
    const [page] = await listPages(rig, 40);
    const shared = createSharedBatches(rig.drain, never);
    const both = [page!, page!].map((one) => workShared(rig.drain, one, shared));
    const outcomes = await Promise.all(both);
    expect(outcomes.map(({ tally }) => tally.republished).toSorted((a, b) => a - b)).toEqual([0, 10]);
    expect(rig.emulator.dlq.size).toBe(0);
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()]).toEqual(Array<number>(10).fill(1));
  });

  it("all fail if the ledger cannot begin their batch, and nothing was sent", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    rig.seed(60);
    const pages = await listPages(rig, 30);
    const source = { ...rig.drain.source, ledger: { ...rig.drain.source.ledger, begin: away } };
    const broken = { ...rig.drain, source };
    const shared = createSharedBatches(broken, never);
    const works = pages.map((page) => workShared(broken, page, shared));
    const ends = await Promise.allSettled(works);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(posts(rig)).toBe(0);
  });

  it("wait for their turn before they are begun, and are begun as soon as they have it", async () => {
    const rig = await createRig({
      redisUrl: redis.url(),
      drain,
      settings: { "service.maxCallsInFlight": 1 },
    });
    rig.seed(200);
    const pages = await listPages(rig, 100);
    const { source } = rig.drain;
    let begun = 0;
    const begunAtPost: number[] = [];
    const watched: DrainRuntime = {
      ...rig.drain,
      source: {
        ...source,
        ledger: {
          ...source.ledger,
          begin: (...call) => {
            begun += 1;
            return source.ledger.begin(...call);
          },
        },
        service: {
          ...source.service,
          async publish(...call) {
            // Time enough for the other page to come as far.
            for (let trip = 0; trip < 50; trip += 1) await source.ledger.now();
            begunAtPost.push(begun);
            return source.service.publish(...call);
          },
        },
      },
    };
    await Promise.all(pages.map((page) => workPage(watched, page, never)));
    expect(begunAtPost).toEqual([1, 2]);
    expect(rig.emulator.dlq.size).toBe(0);
  });

  it("of a pass do the same, while the rules hold every second record", async () => {
    // One window and pages side by side, whatever the knobs: only such pages share batches.
    const rig = await createRig({ redisUrl: redis.url(), drain, ...oneWindow, ...pagesSideBySide });
    for (let pair = 0; pair < 300; pair += 1) {
      rig.seed(1, {}, 60_000 * (pair + 10));
      rig.seed(1, { responseStatus: 404 }, 60_000 * (pair + 10));
    }
    const { tally } = (await rig.pass()) as { readonly tally: Tally };
    expect(tally).toMatchObject({ listed: 600, republished: 300, pages: 6 });
    // Six pages without another to join.
    expect(posts(rig)).toBeLessThan(6);
  }, 30_000);
});

/**
 * Page A has two batches. The begin of the first fails (Redis was away for a moment), so the page ends while
 * its second batch waits for its turn. Page B lists a record of that second batch as well, and one of its own.
 */
it.each(["the other batch is begun before B's own leaves", "B's own is sent first"])(
  "a page that ends early leaves nothing behind that a page with the same record trips over: %s",
  async (order) => {
    const rejections: unknown[] = [];
    const note = (error: unknown): void => void rejections.push(error);
    process.on("unhandledRejection", note);
    try {
      const rig = await createRig({ redisUrl: redis.url(), drain, settings: { "publish.maxItems": 3 } });
      rig.seed(7);
      const [whole] = await listPages(rig, 100);
      const a: Page = { ...whole!, records: whole!.records.slice(0, 6) };
      // A record of A's second batch, and one more.
      const b: Page = { ...whole!, records: [whole!.records[3]!, whole!.records[6]!] };
      const { source } = rig.drain;
      let begins = 0;
      const gate = new AbortController();
      // The wait for more candidates, which lasts until it is told.
      const moment = new AbortController();
      let turns = 0;
      const broken: DrainRuntime = {
        ...rig.drain,
        source: {
          ...source,
          clock: {
            ...source.clock,
            sleep: (ms, signal) =>
              ms > 100
                ? source.clock.sleep(ms, signal)
                : new Promise((go) => moment.signal.addEventListener("abort", () => go())),
            monotonic: () => source.clock.monotonic() + (moment.signal.aborted ? 200 : 0),
          },
          async takeBatchTurn(signal) {
            turns += 1;
            if (turns === 2 && !gate.signal.aborted)
              await new Promise((go) => gate.signal.addEventListener("abort", go));
            return source.takeBatchTurn(signal);
          },
          ledger: {
            ...source.ledger,
            async begin(...call) {
              begins += 1;
              if (begins === 1) throw new RedriverError("redis-unavailable", "away for a moment");
              return source.ledger.begin(...call);
            },
          },
        },
      };
      const shared = createSharedBatches(broken, never);
      // Nothing is flushed because nobody comes.
      const open = shared.join();
      const work = (page: Page): Promise<PageOutcome> => workShared(broken, page, shared);
      await expect(work(a)).rejects.toMatchObject({ code: "redis-unavailable" });
      let ended = false;
      const second = work(b).finally(() => (ended = true));
      // B's two wait for their batch or are on their way by now.
      const steps = order.startsWith("the other") ? [gate, moment] : [moment, gate];
      for (const step of steps) {
        await new Promise((go) => setTimeout(go, 500));
        step.abort();
      }
      await new Promise((go) => setTimeout(go, 1_500));
      open.leave();
      expect(rejections).toEqual([]);
      expect(ended).toBe(true);
      const outcome = await second;
      expect(outcome.tally.listed).toBe(2);
      await rig.emulator.idle();
      for (const count of rig.receiver.counts().values()) expect(count).toBe(1);
      // What comes later is still sent.
      const [laterPage] = await listPages(rig, 100);
      const later = await work(laterPage!);
      expect(later.tally.listed).toBeGreaterThan(0);
    } finally {
      process.off("unhandledRejection", note);
    }
  },
  20_000,
);
