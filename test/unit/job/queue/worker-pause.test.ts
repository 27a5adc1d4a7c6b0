import { describe, expect, test } from "vitest";
import { createWorkerPause } from "../../../../src/job/queue/worker-pause.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

function stand() {
  const clock = createManualClock();
  const told: string[] = [];
  const worker = {
    pause: (doNotWaitActive?: boolean) => Promise.resolve(void told.push(`pause ${doNotWaitActive}`)),
    resume: () => Promise.resolve(void told.push("resume")),
  };
  return { clock, told, pause: createWorkerPause(() => worker, clock) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a worker's pause", () => {
  test("that overlaps another ends with the longer of the two", async () => {
    const { clock, told, pause } = stand();
    pause.begin(100);
    await settled();
    pause.begin(1_000);
    pause.begin(25);
    for (const ms of [100, 899]) {
      clock.advance(ms);
      await settled();
      expect(told).toEqual(["pause true"]);
    }
    clock.advance(1);
    await settled();
    expect(told).toEqual(["pause true", "resume"]);
  });

  test("of a worker that is being closed never wakes it, and none begins", async () => {
    const { clock, told, pause } = stand();
    pause.begin(25);
    await settled();
    pause.stop();
    pause.begin(25);
    await settled();
    expect(clock.pending()).toBe(0);
    clock.advance(25);
    await settled();
    expect(told).toEqual(["pause true"]);
  });
});
