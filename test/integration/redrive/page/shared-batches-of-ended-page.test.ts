import { expect, test } from "vitest";
import { createSharedBatches } from "../../../../src/redrive/page/fill-batches.ts";
import type { Page } from "../../../../src/redrive/page/records.ts";
import { workPage } from "../../../../src/redrive/page/work-page.ts";
import type { DrainRuntime } from "../../../../src/redrive/runtime.ts";
import { RedriverError } from "../../../../src/ports/errors.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const never = new AbortController().signal;
const drain = `
    minAge: 0s
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

async function list(rig: Rig): Promise<Page> {
  const { source } = rig.drain;
  const { at: readAt } = await source.ledger.now();
  const { records } = await source.service.list({ select: {}, count: 100 }, never);
  return { records, readAt };
}

/**
 * Page A has two batches. The begin of the first fails (Redis was away for a moment), so the page ends while
 * its second batch waits for its turn. Page B lists a record of that second batch as well, and one of its own.
 */
test.each(["the other batch is begun before B's own leaves", "B's own is sent first"])(
  "a page that ends early leaves nothing behind that a page with the same record trips over: %s",
  async (order) => {
    const rejections: unknown[] = [];
    const note = (error: unknown): void => void rejections.push(error);
    process.on("unhandledRejection", note);
    try {
      const rig = await createRig({ redisUrl: redis.url(), drain, settings: { "publish.maxItems": 3 } });
      rig.seed(7);
      const whole = await list(rig);
      const a: Page = { ...whole, records: whole.records.slice(0, 6) };
      // A record of A's second batch, and one more.
      const b: Page = { ...whole, records: [whole.records[3]!, whole.records[6]!] };
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
            if (turns === 2) await new Promise((go) => gate.signal.addEventListener("abort", go));
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
      const work = (page: Page) => {
        const batches = shared.join();
        return workPage(broken, page, never, { batches }).finally(batches.leave);
      };
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
      const later = await work(await list(rig));
      expect(later.tally.listed).toBeGreaterThan(0);
    } finally {
      process.off("unhandledRejection", note);
    }
  },
  20_000,
);
