import { describe, expect, it } from "vitest";
import { createWindowSlots, type WindowSlot } from "../../../../src/job/daemon/window-slots.ts";
import type { SourceId } from "../../../../src/job/contracts/ids.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const [eu, us, asia] = ["eu", "us", "asia"] as const;

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function createStand(max: number) {
  const clock = createManualClock();
  const slots = createWindowSlots(clock);
  const never = new AbortController().signal;
  const take = (source: string, signal = never): Promise<WindowSlot | null> =>
    slots.take({ source: source as SourceId, max }, signal);
  /** What has come of it so far. */
  const ask = (source: string) => {
    const asked: { slot: WindowSlot | null | "waits" } = { slot: "waits" };
    const wait = async (): Promise<void> => {
      asked.slot = await take(source);
    };
    const done = wait();
    return {
      done,
      result: () => (asked.slot === "waits" ? "waits" : asked.slot === null ? "none" : "works"),
    };
  };
  return { clock, take, ask };
}

describe("the slots of windows", () => {
  it("are all for one source where it is the only one", async () => {
    const { ask } = createStand(3);
    const asked = [1, 2, 3, 4].map(() => ask(eu));
    await settle();
    expect(asked.map(({ result }) => result())).toEqual(["works", "works", "works", "waits"]);
  });

  it.each([1, 2, 4])("have one for each source, whatever the others hold, of %d", async (max) => {
    const { ask } = createStand(max);
    for (const source of [eu, us]) for (let n = 0; n < 6; n += 1) ask(source);
    await settle();
    const late = ask(asia);
    await settle();
    expect(late.result()).toBe("works");
  });

  it("go to who waits, first come first, as soon as one is free", async () => {
    const { take, ask } = createStand(1);
    const held = await take(eu);
    const [second, third] = [ask(eu), ask(eu)];
    held?.release();
    held?.release();
    await settle();
    expect([second.result(), third.result()]).toEqual(["works", "waits"]);
  });

  it("are waited for by two, and no longer than a second", async () => {
    const { clock, take, ask } = createStand(1);
    await take(eu);
    const [first, second, third] = [ask(eu), ask(eu), ask(eu)];
    await third.done;
    expect([first.result(), second.result(), third.result()]).toEqual(["waits", "waits", "none"]);
    clock.advance(1_000);
    await Promise.all([first.done, second.done]);
    expect([first.result(), second.result()]).toEqual(["none", "none"]);
  });

  it("are not waited for by a process that stops", async () => {
    const { take } = createStand(1);
    await take(eu);
    const stop = new AbortController();
    const waiting = take(eu, stop.signal);
    stop.abort(new Error("stopping"));
    await expect(waiting).rejects.toThrow("stopping");
  });
});
