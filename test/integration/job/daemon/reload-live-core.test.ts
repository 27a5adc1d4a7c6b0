import { describe, expect, it, onTestFinished } from "vitest";
import { openLiveCore } from "../../../../src/job/compose/open-core.ts";
import { createTeardown } from "../../../../src/teardown.ts";
import { startEmulator } from "../../../../dev/emulator/index.ts";
import type { DrainName, SourceId } from "../../../../src/job/contracts/ids.ts";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { createFolder } from "../../../support/command.ts";
import { load as loaded, settingsOf } from "../../../support/loaded-document.ts";
import { recordEvents } from "../../../support/record-events.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const eu = "eu" as SourceId;
const us = "us" as SourceId;
const orders = "orders" as DrainName;
const refunds = "refunds" as DrainName;

const load = (text: string) => loaded(text).document;

/**
 * Both sources are one emulator's: nothing is published here, and they are told apart by their tokens' names.
 */
async function setUp(first: string) {
  const { url, token, close } = await startEmulator({});
  const events = recordEvents();
  const teardown = createTeardown();
  onTestFinished(async () => {
    await teardown.run(2_000);
    await close();
  });
  const settings = settingsOf({
    env: { REDRIVER_SERVICE_URL: url, REDRIVER_SERVICE_TOKEN: token },
    flags: { "redis.url": redis.url(), "redis.keyPrefix": redis.fresh().keyPrefix },
  });
  const env = { TOKEN: token, OTHER: token };
  const live = openLiveCore({ settings, document: load(first), env, events, teardown });
  await live.current().redis.ready(5_000);
  return { live, events };
}

interface Parts {
  readonly eu?: string;
  readonly us?: string;
  readonly orders?: string;
  readonly refunds?: string | null;
}

function toDrain(source: string, then: string): string {
  return `{ source: ${source}, mode: live, rules: [{ name: all, when: any, then: ${then} }] }`;
}

function text({ eu: ofEu = "{}", us: ofUs = "{ token: { env: TOKEN } }", ...drains }: Parts = {}): string {
  const { orders: ofOrders = "republish", refunds: ofRefunds = "republish" } = drains;
  return `
version: 1
sources:
  eu: ${ofEu}
  ${ofUs === "" ? "" : `us: ${ofUs}`}
drains:
  orders: ${toDrain("eu", ofOrders)}
  ${ofRefunds === null ? "" : `refunds: ${toDrain(ofUs === "" ? "eu" : "us", ofRefunds)}`}
`;
}

const list = { select: {}, count: 1 };

describe("a document that replaces another", () => {
  it("is what new work is done by; a source that is the same keeps its runtime", async () => {
    const { live } = await setUp(text());
    const before = live.current();
    const next = load(text({ orders: "hold" }));
    live.adopt(next);
    const after = live.current();
    expect(after.document).toBe(next);
    expect(after.sources.get(eu)).toBe(before.sources.get(eu));
    expect(after.sources.get(us)).toBe(before.sources.get(us));
    expect(after.drains.get(orders)).toMatchObject({
      documentHash: next.hash,
      config: { rules: [{ then: "hold" }] },
    });
    expect(after.drains.get(orders)?.source).toBe(before.drains.get(orders)?.source);
  });

  it("builds sources anew where it names another archive: what is copied in one is not in the other", async () => {
    const root = createFolder().path;
    const at = (dir: string, keep = "30d") =>
      load(`archive: { dir: ${root}/${dir}, keep: ${keep}, volume: ephemeral }\n${text()}`);
    const { live } = await setUp(text());
    live.adopt(at("a"));
    const copied = ["1760000000000-1" as DlqId];
    const copies = () => live.current().sources.get(eu)?.runtime.copies;
    await copies()?.copied(copied);
    live.adopt(at("a", "60d"));
    expect(await copies()?.missing(copied)).toEqual([]);
    live.adopt(at("b"));
    expect(await copies()?.missing(copied)).toEqual(copied);
  });

  it("builds a source that it changes anew, and the old one answers until the last work with it has ended", async () => {
    const { live } = await setUp(text());
    const held = live.acquire();
    const old = held.core.sources.get(us)!;
    live.adopt(load(text({ us: "{ token: { env: OTHER } }" })));
    const current = live.current().sources.get(us)!;
    expect(current).not.toBe(old);
    expect(live.current().sources.get(eu)).toBe(held.core.sources.get(eu));
    await expect(old.service.list(list)).resolves.toMatchObject({ records: [] });
    held.release();
    held.release();
    await expect(old.service.list(list)).rejects.toMatchObject({ code: "stopped" });
    await expect(current.service.list(list)).resolves.toMatchObject({ records: [] });
    // One that is lacking, and that nobody works with, is closed at once.
    live.adopt(load(text({ us: "", refunds: null })));
    expect([...live.current().sources.keys()]).toEqual([eu]);
    await expect(current.service.list(list)).rejects.toMatchObject({ code: "stopped" });
  });

  it("keeps a source open for work under a document two before", async () => {
    const { live } = await setUp(text());
    const held = live.acquire();
    const old = held.core.sources.get(us)!;
    live.adopt(load(text({ us: "", refunds: null })));
    live.adopt(load(text({ us: "", refunds: null, orders: "hold" })));
    await expect(old.service.list(list)).resolves.toMatchObject({ records: [] });
    held.release();
    await expect(old.service.list(list)).rejects.toMatchObject({ code: "stopped" });
  });

  it("that cannot be built changes nothing", async () => {
    const { live } = await setUp(text());
    const before = live.current();
    const held = live.acquire();
    const bad = load(text({ us: "{ token: { env: NOT_SET } }", orders: "hold" }));
    expect(() => live.adopt(bad)).toThrow(/environment variable NOT_SET/);
    expect(live.current()).toBe(before);
    expect(held.superseded(orders).aborted).toBe(false);
    expect(before.drains.get(orders)?.config.paused).toBe(false);
    await expect(before.sources.get(us)?.service.list(list)).resolves.toMatchObject({ records: [] });
    held.release();
  });

  it("ends, after their page, the windows of drains that it changes or lacks, and of no others", async () => {
    const { live } = await setUp(text());
    const held = live.acquire();
    const [ofOrders, ofRefunds] = [held.superseded(orders), held.superseded(refunds)];
    live.adopt(load(text({ orders: "hold" })));
    expect([ofOrders.aborted, ofRefunds.aborted]).toEqual([true, false]);
    live.adopt(load(text({ orders: "hold", refunds: null })));
    expect(ofRefunds.aborted).toBe(true);
    expect(live.acquire().superseded(orders).aborted).toBe(false);
  });

  it("pauses work under the one before it too, and so does its lack of a drain", async () => {
    const { live } = await setUp(text());
    const held = live.acquire();
    const paused = () => [orders, refunds].map((name) => held.core.drains.get(name)?.config.paused);
    expect(paused()).toEqual([false, false]);
    live.adopt(load(text({ refunds: null })));
    expect(paused()).toEqual([false, true]);
    live.adopt(load(`${text({ refunds: null })}paused: true\n`));
    expect(paused()).toEqual([true, true]);
    live.adopt(load(text()));
    expect(paused()).toEqual([false, false]);
  });

  it.each(["dlq", "batch"] as const)(
    "makes a halted source that it changes usable, and says so when the old one is gone: %s",
    async (callClass) => {
      const { live, events } = await setUp(text());
      const { health } = live.current().sources.get(us)!.runtime;
      health.halt("unauthorised", "401", callClass);
      // Which is no end of a halt.
      health.tryPublishing();
      live.current().sources.get(eu)!.runtime.health.halt("unauthorised", "401");
      live.adopt(load(text({ us: "{ token: { env: OTHER } }" })));
      expect(live.current().sources.get(us)?.runtime.health.current().state).toBe("usable");
      expect(live.current().sources.get(eu)?.runtime.health.current().state).toBe("halted");
      expect(events.of("source:resumed")).toEqual([{ type: "source:resumed", source: us }]);
    },
  );
});
