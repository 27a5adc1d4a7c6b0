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
  const take = (id: string, source: string, signal = never): Promise<WindowSlot | null> =>
    slots.take({ id, source: source as SourceId, max }, signal);
  /** What has come of it so far. */
  const ask = (id: string, source: string) => {
    const asked: { slot: WindowSlot | null | "waits" } = { slot: "waits" };
    const wait = async (): Promise<void> => {
      asked.slot = await take(id, source);
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
    const asked = ["1", "2", "3", "4"].map((id) => ask(id, eu));
    await settle();
    expect(asked.map(({ result }) => result())).toEqual(["works", "works", "works", "waits"]);
  });

  it.each([1, 2, 4])("have one for each source, whatever the others hold, of %d", async (max) => {
    const { ask } = createStand(max);
    for (const source of [eu, us]) for (let n = 0; n < 6; n += 1) ask(`${source} ${n}`, source);
    await settle();
    const late = ask("late", asia);
    await settle();
    expect(late.result()).toBe("works");
  });

  it("go to who waits, first come first, as soon as one is free", async () => {
    const { take, ask } = createStand(1);
    const held = await take("1", eu);
    const [second, third] = [ask("2", eu), ask("3", eu)];
    held?.release();
    held?.release();
    await settle();
    expect([second.result(), third.result()]).toEqual(["works", "waits"]);
  });

  it("are waited for no longer than a second, and who comes back has kept its turn", async () => {
    const { clock, take, ask } = createStand(1);
    const held = await take("1", eu);
    const first = ask("2", eu);
    clock.advance(1_000);
    await first.done;
    expect(first.result()).toBe("none");
    const [third, fourth] = [ask("3", eu), ask("4", eu)];
    const back = ask("2", eu);
    await fourth.done;
    expect([third.result(), fourth.result()]).toEqual(["waits", "none"]);
    held?.release();
    await settle();
    expect([back.result(), third.result()]).toEqual(["works", "waits"]);
  });

  it("are not waited for by a process that stops", async () => {
    const { take } = createStand(1);
    await take("1", eu);
    const stop = new AbortController();
    const waiting = take("2", eu, stop.signal);
    stop.abort(new Error("stopping"));
    await expect(waiting).rejects.toThrow("stopping");
  });
});
