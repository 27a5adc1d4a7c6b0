import { describe, expect, it } from "vitest";
import { openPass, workWindow, type WindowWork } from "../../src/redrive/run-pass.ts";
import type { DrainRuntime } from "../../src/redrive/runtime.ts";
import { useRedis } from "../support/redis.ts";
import { createRig, type Rig } from "../support/rig.ts";

const redis = useRedis();
const never = new AbortController().signal;

/** The same drain as a replica with another document has it. */
function underAnother({ drain }: Rig): DrainRuntime {
  return { ...drain, documentHash: "another" };
}

async function open(rig: Rig): Promise<WindowWork> {
  const opened = await openPass(rig.drain, rig.core.settings.passes, never);
  const [window] = opened.windows;
  if (opened.kind !== "opened" || window === undefined) throw new Error("expected an open pass");
  const { windowId } = window;
  return { passId: opened.pass.passId, windowId, signal: never, stopping: never, lastTry: false };
}

describe("a window of a pass that was opened under another document", () => {
  it("is left alone while a replica works under that one, and is that replica's to work", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    rig.seed(3);
    const work = await open(rig);
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
    const work = await open(rig);
    const other = underAnother(rig);
    const { verdict } = await workWindow(other, { ...work, isWorkedElsewhere: () => Promise.resolve(false) });
    expect(verdict).toMatchObject({ kind: "pass-closed", outcome: "partial", tally: { listed: 0 } });
    expect(rig.eventsOf("window:failed")).toMatchObject([{ code: "document-changed" }]);
    const next = await openPass(other, rig.core.settings.passes, never);
    expect(next).toMatchObject({ kind: "opened", pass: { kind: "full", documentHash: "another" } });
  });

  it("stays open while it cannot be asked who works under that one", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    const work = await open(rig);
    const away = new Error("Redis is away");
    const left = workWindow(underAnother(rig), { ...work, isWorkedElsewhere: () => Promise.reject(away) });
    await expect(left).rejects.toBe(away);
    expect(await rig.drain.source.passes.facts(rig.drain.config.name)).toMatchObject({
      openPass: { passId: work.passId },
    });
  });
});
