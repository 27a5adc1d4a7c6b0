import { describe, expect, it } from "vitest";
import { toCleanEnvironment } from "../../../src/demo/clean-environment.ts";
import { createDeadline, DeadlinePassed } from "../../../src/demo/deadline.ts";
import { parseMetrics } from "../../../src/demo/metrics.ts";
import { waitUntil } from "../../../src/demo/wait-until.ts";

describe("the environment of what the demo starts", () => {
  it("has nothing that begins with REDRIVER_, QSTASH_ or UPSTASH_", () => {
    const env = {
      PATH: "/bin",
      REDRIVER_NO_SUCH: "1",
      QSTASH_TOKEN: "t",
      UPSTASH_EMAIL: "e",
      MY_QSTASH_TOKEN: "m",
    };
    expect(toCleanEnvironment(env)).toEqual({ PATH: "/bin", MY_QSTASH_TOKEN: "m" });
  });
});

describe("a Prometheus text", () => {
  const metrics = parseMetrics(
    [
      "# HELP some_total Words.",
      'some_total{drain="a",state="x, \\"y\\" }"} 3',
      'some_total{drain="b",state="z"} 4',
      "plain 1.5e3",
      "",
    ].join("\n"),
  );

  it("is summed over the series that carry the labels", () => {
    expect(metrics.sum("some_total")).toBe(7);
    expect(metrics.sum("some_total", { drain: "b" })).toBe(4);
    expect(metrics.sum("some_total", { state: 'x, \\"y\\" }' })).toBe(3);
    expect(metrics.sum("plain")).toBe(1_500);
  });

  it("has no sum where there is no series: absent is not 0", () => {
    expect(metrics.sum("some_total", { drain: "c" })).toBeNull();
    expect(metrics.sum("some")).toBeNull();
  });
});

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
