import { describe, expect, it } from "vitest";
import { openPass } from "../../../../src/job/pass/open-pass.ts";
import { workWindow } from "../../../../src/job/pass/work-window.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { createJobStand } from "../../../support/job-stand.ts";
import { openWindow } from "../../../support/pass-with.ts";
import { useRedis } from "../../../support/redis.ts";
import { createRig, never, type Rig } from "../../../support/rig.ts";

const redis = useRedis();

/** The same drain as a replica with another document has it. */
function underAnother({ drain }: Rig): DrainRuntime {
  return { ...drain, documentHash: "another" };
}

describe("a window of a pass that was opened under another document", () => {
  it("is left alone while a replica works under that one, and is that replica's to work", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    rig.seed(3);
    const work = await openWindow(rig);
    const asked: string[] = [];
    const left = workWindow(underAnother(rig), {
      ...work,
      lastTry: true,
      isWorkedElsewhere: (hash) => {
        asked.push(hash);
        return Promise.resolve(true);
      },
    });
    await expect(left).rejects.toMatchObject({ code: "document-changed" });
    expect(asked).toEqual([rig.drain.documentHash]);
    expect(rig.eventsOf("window:failed")).toEqual([]);
    const { verdict } = await workWindow(rig.drain, work);
    expect(verdict).toMatchObject({ kind: "pass-closed", outcome: "complete", tally: { republished: 3 } });
  });

  it("is ended where nobody works under that one any more, so that the next pass can open", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    rig.seed(3);
    const work = await openWindow(rig);
    const other = underAnother(rig);
    const { verdict } = await workWindow(other, { ...work, isWorkedElsewhere: () => Promise.resolve(false) });
    expect(verdict).toMatchObject({ kind: "pass-closed", outcome: "partial", tally: { listed: 0 } });
    expect(rig.eventsOf("window:failed")).toMatchObject([{ code: "document-changed" }]);
    const next = await openPass(other, rig.core.settings.passes, never);
    expect(next).toMatchObject({ kind: "opened", pass: { kind: "full", documentHash: "another" } });
  });

  it("of a drain that is not here is left to a replica that may have it, and ended where there is none", async () => {
    const { live, rig, handle } = await createJobStand({ redisUrl: redis.url() });
    const { passId, windowId } = await openWindow(rig);
    const drain = "elsewhere" as DrainName;
    const window = () =>
      handle({ kind: "window", drain, passId, windowId }, { signal: never, lastTry: true });
    await window();
    const record = { version: "1", documentHash: "another", adoptedAt: 0, rejected: null, resting: [] };
    await live.current().replicas.announce({ replica: "other", ...record });
    await expect(window()).rejects.toMatchObject({ code: "document-changed" });
  });
});

/** A process that halts as it lists: its token is refused. */
async function refused(isCalledElsewhere: boolean) {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(3);
  const work = await openWindow(rig);
  rig.emulator.faults.add({ kind: "status", operation: "list", status: 401, count: 1 });
  const ended = workWindow(rig.drain, {
    ...work,
    lastTry: true,
    isCalledElsewhere: () => Promise.resolve(isCalledElsewhere),
  });
  return { rig, work, ended };
}

describe("a window of a source that is halted in this process", () => {
  const main = "main" as DrainName;

  it("is left to another process that may call it, and spends no try", async () => {
    const { rig, work, ended } = await refused(true);
    await expect(ended).rejects.toMatchObject({ code: "service-resting", retryAt: expect.any(Number) });
    expect(rig.eventsOf("source:halted")).toHaveLength(1);
    expect(rig.eventsOf("window:failed")).toEqual([]);
    rig.drain.source.health.resume();
    const { verdict } = await workWindow(rig.drain, work);
    expect(verdict).toMatchObject({ kind: "pass-closed", outcome: "complete", tally: { republished: 3 } });
  });

  it("is ended where there is none", async () => {
    const { rig, ended } = await refused(false);
    const { verdict, failedWith } = await ended;
    expect(verdict).toMatchObject({ kind: "pass-closed", outcome: "partial" });
    expect(failedWith).toMatchObject({ code: "unauthorised" });
    expect(rig.eventsOf("window:failed")).toHaveLength(1);
  });

  it.each(["dlq", "batch"] as const)(
    "is not begun while another has not said that it is halted there: %s",
    async (callClass) => {
      const stand = await createJobStand({ redisUrl: redis.url() });
      const { rig, live, events, handle } = stand;
      const { replicas, document, sources } = live.current();
      const source = rig.drain.source.config.id;
      const other = (resting: readonly { state: "halted" | "waiting" }[]) =>
        replicas.announce({
          replica: "other",
          version: "1",
          documentHash: document.hash,
          adoptedAt: 0,
          rejected: null,
          resting: resting.map((one) => ({ source, code: "unauthorised" as const, ...one })),
        });
      rig.seed(3);
      const { passId, windowId } = await openWindow(rig);
      const window = () =>
        handle({ kind: "window", drain: main, passId, windowId }, { signal: never, lastTry: true });
      sources.get(source)!.runtime.health.halt("unauthorised", "refused", callClass);

      await other([{ state: "waiting" }]);
      await expect(window()).rejects.toMatchObject({ code: "service-resting" });
      expect(await rig.drain.source.passes.facts(main)).toMatchObject({ openPass: { passId } });

      await other([{ state: "halted" }]);
      await window();
      expect(events.of("pass:closed")).toMatchObject([
        callClass === "dlq" ? { outcome: "partial" } : { outcome: "complete", counts: { due: 3 } },
      ]);
    },
  );

  it("is worked where others work under another document", async () => {
    const { live, rig, handle, events } = await createJobStand({ redisUrl: redis.url() });
    const { replicas, sources } = live.current();
    rig.seed(3);
    const { passId, windowId } = await openWindow(rig);
    sources.get(rig.drain.source.config.id)!.runtime.health.halt("unauthorised", "refused", "batch");
    const record = { version: "1", documentHash: "another", adoptedAt: 0, rejected: null, resting: [] };
    await replicas.announce({ replica: "other", ...record });
    await handle({ kind: "window", drain: main, passId, windowId }, { signal: never, lastTry: true });
    expect(events.of("pass:closed")).toMatchObject([{ outcome: "complete", counts: { due: 3 } }]);
  });
});

it("a first census that met a pass lists when that pass has ended, without its next look", async () => {
  // What it selects is not all, so the pass itself is no census.
  const { rig, handle } = await createJobStand({
    redisUrl: redis.url(),
    drain: "    select: { responseStatus: 503 }",
  });
  rig.seed(3);
  const { drain } = rig;
  const { passId, windowId } = await openWindow(rig);
  await handle({ kind: "census", source: drain.source.config.id }, { signal: never, lastTry: true });
  expect(await drain.source.book.census()).toBe(null);
  const window = { kind: "window", drain: drain.config.name, passId, windowId } as const;
  await handle(window, { signal: never, lastTry: true });
  expect(await drain.source.book.census()).toMatchObject({ depth: 3 });
});

it("a census beside an open pass waits once for its next look, and lists then", async () => {
  const { rig, handle } = await createJobStand({ redisUrl: redis.url() });
  const job = { kind: "census", source: rig.drain.source.config.id } as const;
  await openWindow(rig);
  const before = rig.callsOf("list");
  await handle(job, { signal: never, lastTry: true });
  expect(rig.callsOf("list")).toBe(before);
  await handle(job, { signal: never, lastTry: true });
  expect(rig.callsOf("list")).toBe(before + 1);
  expect(await rig.drain.source.book.census()).toMatchObject({ depth: 0 });
});
