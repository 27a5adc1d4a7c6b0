import { describe, expect, it } from "vitest";
import { createSharedBatches } from "../../../../src/job/page/share-batches.ts";
import type { PageOutcome } from "../../../../src/job/page/page-report.ts";
import type { Page } from "../../../../src/job/page/letter.ts";
import { workPage } from "../../../../src/job/page/work-page.ts";
import type { DrainRuntime, SourceRuntime } from "../../../../src/job/runtime.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { createRig, oneWindow, pagesSideBySide, type Rig, type RigOptions } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const never = new AbortController().signal;

/** So many letters, and pages of them, as their GETs answered. */
async function rigWithPages(letters: number, perPage: number, options: Partial<RigOptions> = {}) {
  const rig = await createRig({ redisUrl: redis.url(), ...options });
  rig.seed(letters);
  return { rig, pages: await listPages(rig, perPage) };
}

async function listPages(rig: Rig, count: number): Promise<readonly Page[]> {
  const { service, ledger } = rig.drain.source;
  const { at: readAt } = await ledger.now();
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const query = { select: {}, count, ...(cursor === undefined ? {} : { cursor }) };
    const page = await service.list(query, never);
    pages.push({ records: page.records, readAt });
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

const away = () => Promise.reject(new RedriverError("redis-unavailable", "away for a moment"));

const withParts = ({ drain }: Rig, parts: Partial<SourceRuntime>): DrainRuntime => ({
  ...drain,
  source: { ...drain.source, ...parts },
});

const told = (by: AbortController) =>
  new Promise<void>((go) => by.signal.addEventListener("abort", () => go()));

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
  it("publish a record once that two of them list", async () => {
    const { rig, pages } = await rigWithPages(10, 40);
    const shared = createSharedBatches(rig.drain, never);
    const both = [pages[0]!, pages[0]!].map((page) => workShared(rig.drain, page, shared));
    const outcomes = await Promise.all(both);
    expect(outcomes.map(({ tally }) => tally.republished).toSorted((a, b) => a - b)).toEqual([0, 10]);
    await expectDrainedOnce(rig, 10);
  });

  it("wait for their turn before they are begun, and are begun as soon as they have it", async () => {
    const settings = { "service.maxCallsInFlight": 1 };
    const { rig, pages } = await rigWithPages(200, 100, { settings });
    const { ledger, service } = rig.drain.source;
    let begun = 0;
    const begunAtPost: number[] = [];
    const begin: typeof ledger.begin = (...call) => {
      begun += 1;
      return ledger.begin(...call);
    };
    const publish: typeof service.publish = async (...call) => {
      // Time enough for the other page to come as far.
      for (let trip = 0; trip < 50; trip += 1) await ledger.now();
      begunAtPost.push(begun);
      return service.publish(...call);
    };
    const watched = withParts(rig, { ledger: { ...ledger, begin }, service: { ...service, publish } });
    await Promise.all(pages.map((page) => workPage(watched, page, never)));
    expect(begunAtPost).toEqual([1, 2]);
    expect(rig.emulator.dlq.size).toBe(0);
  });

  it("of a pass do the same, while the rules hold every second record", async () => {
    // One window and pages side by side, whatever the knobs: only such pages share batches.
    const rig = await createRig({ redisUrl: redis.url(), ...oneWindow, ...pagesSideBySide });
    for (let pair = 0; pair < 300; pair += 1) {
      rig.seed(1, {}, 60_000 * (pair + 10));
      rig.seed(1, { responseStatus: 404 }, 60_000 * (pair + 10));
    }
    expect(await rig.pass()).toMatchObject({ tally: { listed: 600, republished: 300, pages: 6 } });
    // Six pages without another to join.
    expect(posts(rig)).toBeLessThan(6);
  });
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
      const { rig, pages } = await rigWithPages(7, 100, { settings: { "publish.maxItems": 3 } });
      const [{ records, ...whole }] = pages as [Page];
      const a: Page = { ...whole, records: records.slice(0, 6) };
      // A record of A's second batch, and one more.
      const b: Page = { ...whole, records: [records[3]!, records[6]!] };
      const { clock, ledger, takeBatchTurn } = rig.drain.source;
      const gate = new AbortController();
      // The wait for more candidates, which lasts until it is told.
      const moment = new AbortController();
      let [begins, turns] = [0, 0];
      const broken = withParts(rig, {
        clock: {
          ...clock,
          sleep: (ms, signal) => (ms > 100 ? clock.sleep(ms, signal) : told(moment)),
          monotonic: () => clock.monotonic() + (moment.signal.aborted ? 200 : 0),
        },
        async takeBatchTurn(signal) {
          turns += 1;
          if (turns === 2 && !gate.signal.aborted) await told(gate);
          return takeBatchTurn(signal);
        },
        ledger: {
          ...ledger,
          async begin(...call) {
            begins += 1;
            return begins === 1 ? away() : ledger.begin(...call);
          },
        },
      });
      const shared = createSharedBatches(broken, never);
      // Nothing is flushed because nobody comes.
      const open = shared.join();
      await expect(workShared(broken, a, shared)).rejects.toMatchObject({ code: "redis-unavailable" });
      const second = workShared(broken, b, shared);
      // B's two wait for their batch or are on their way by then.
      for (const step of order.startsWith("the other") ? [gate, moment] : [moment, gate]) {
        await new Promise((go) => setTimeout(go, 300));
        step.abort();
      }
      expect((await second).tally.listed).toBe(2);
      open.leave();
      expect(rejections).toEqual([]);
      await rig.emulator.idle();
      for (const count of rig.receiver.counts().values()) expect(count).toBe(1);
      // What comes later is still sent.
      const [later] = await listPages(rig, 100);
      expect((await workShared(broken, later!, shared)).tally.listed).toBeGreaterThan(0);
    } finally {
      process.off("unhandledRejection", note);
    }
  },
  20_000,
);
