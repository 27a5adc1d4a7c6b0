import { describe, expect, it } from "vitest";
import { createDeadline, DeadlinePassed } from "../../../demo/waits.ts";
import { waitUntil } from "../../../demo/waits.ts";

describe("waiting", () => {
  it("ends with the first answer that is not null", async () => {
    const answers = [null, null, "found", "too late"];
    const found = await waitUntil(async () => answers.shift() ?? null, {
      everyMs: 1,
      signal: new AbortController().signal,
    });
    expect(found).toBe("found");
  });

  it("ends at the deadline, and says so", async () => {
    using deadline = createDeadline(20, new AbortController().signal);
    const waiting = waitUntil(async () => null, { everyMs: 5_000, signal: deadline.signal });
    await expect(waiting).rejects.toBeInstanceOf(DeadlinePassed);
  });

  it("ends when the demo is stopped, with its reason", async () => {
    const stop = new AbortController();
    using deadline = createDeadline(60_000, stop.signal);
    const waiting = waitUntil(async () => null, { everyMs: 5_000, signal: deadline.signal });
    stop.abort(new Error("stopped by a signal"));
    await expect(waiting).rejects.toThrow("stopped by a signal");
  });
});
