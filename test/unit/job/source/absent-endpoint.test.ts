import { expect, test, vi } from "vitest";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import { createDeliveryWatch } from "../../../../src/job/lanes/delivery-watch.ts";
import { createServiceRetry } from "../../../../src/job/source/service-retry.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const config = { id: "default" as never, watchDeliveries: true, serviceRetry: true } as const;
const signal = new AbortController().signal;

test.each(["deliveries", "retry"])(
  "one 405 of %s switches it off for ten minutes, and is told once",
  async (what) => {
    const clock = createManualClock();
    const emit = vi.fn();
    const load = vi.fn(() => Promise.resolve<object>({ isAbsent: true }));
    const retry = vi.fn(() =>
      Promise.reject(new RedriverError("source-misconfigured", "no", { status: 405 })),
    );
    const watch = createDeliveryWatch(config, { load } as never, clock, { emit });
    const own = createServiceRetry(config, { retry }, { note: vi.fn() }, clock, { emit });
    const { isOn } = what === "retry" ? own : watch;
    const ask = () =>
      what === "retry" ? own.retry(false, "1-0" as never, () => true, signal) : watch.ask(signal);
    for (let times = 0; times < 2; times += 1) {
      expect(isOn()).toBe(true);
      await ask();
      expect(isOn()).toBe(false);
      clock.advance(10 * 60_000);
    }
    expect(isOn()).toBe(true);
    expect(emit).toHaveBeenCalledTimes(1);
  },
);
