import { describe, expect, it } from "vitest";
import { AdaptiveLimit } from "../../../../src/job/source/adaptive-limit.ts";

/** Plays calls that keep a limit used up, each answered after `latencyMs` of the calls in flight. */
function play(
  limit: AdaptiveLimit,
  forMs: number,
  latencyMs: (inFlight: number) => number,
  from = 0,
): number {
  const ends: { readonly at: number; readonly ms: number }[] = [];
  let now = from;
  for (;;) {
    while (ends.length < Math.floor(limit.limit)) {
      const ms = latencyMs(ends.length + 1);
      ends.push({ at: now + ms, ms });
      limit.useUp();
    }
    ends.sort((one, other) => one.at - other.at);
    const [next] = ends;
    if (next === undefined || next.at > from + forMs) return from + forMs;
    ends.shift();
    now = next.at;
    limit.useUp();
    limit.answered(next.ms, now);
  }
}

describe("an adaptive limit", () => {
  it("is at 40 within a second at 25 ms, and ends at its maximum", () => {
    const limit = new AdaptiveLimit(64);
    expect(limit.limit).toBe(4);
    const at = play(limit, 1_000, () => 25);
    expect(limit.limit).toBeGreaterThanOrEqual(40);
    play(limit, 10_000, () => 25, at);
    expect(limit.limit).toBe(64);
  });

  it("stays where it is while nobody waits for it", () => {
    const limit = new AdaptiveLimit(64);
    for (let call = 0; call < 1_000; call += 1) limit.answered(5, call * 5);
    expect(limit.limit).toBe(4);
  });

  it("stops growing where answers take longer with each call, and above its start gives back", () => {
    const limit = new AdaptiveLimit(64);
    const at = play(limit, 20_000, (inFlight) => 20 + 5 * inFlight);
    expect(limit.limit).toBeGreaterThan(8);
    expect(limit.limit).toBeLessThan(40);
    const before = limit.limit;
    const later = play(limit, 2_000, (inFlight) => 200 + 20 * inFlight, at);
    const cut = limit.limit;
    expect(cut).toBeLessThan(before);
    expect(cut).toBeGreaterThanOrEqual(4);
    play(limit, 5_000, () => 25, later);
    expect(limit.limit).toBeGreaterThan(cut + 10);
  });

  it("is halved once by failures of calls that were in flight together, down to one, and recovers", () => {
    const limit = new AdaptiveLimit(64);
    let now = play(limit, 5_000, () => 25);
    for (let call = 0; call < 30; call += 1) limit.failed(20, now + call / 10);
    expect(limit.limit).toBe(32);
    for (let call = 0; call < 10; call += 1) limit.failed(0, (now += 100));
    expect(limit.limit).toBe(1);
    play(limit, 5_000, () => 25, now);
    expect(limit.limit).toBeGreaterThanOrEqual(32);
  });

  it("takes over what others have learned, and keeps a cut that they do not know yet", () => {
    const limit = new AdaptiveLimit(64);
    limit.report(0);
    limit.learn({ limit: 30, cuts: 0 });
    expect(limit.limit).toBe(30);
    limit.report(10);
    // Cut while the report was under way.
    limit.failed(0, 20);
    limit.learn({ limit: 40, cuts: 0 });
    expect(limit.limit).toBe(15);
    expect(limit.report(30)).toEqual({ limit: 15, cuts: 0, isCut: true });
    limit.learn({ limit: 15, cuts: 1 });
    expect(limit.report(40)).toEqual({ limit: 15, cuts: 1, isCut: false });
    // Somebody else's cut.
    limit.learn({ limit: 7, cuts: 2 });
    expect(limit.limit).toBe(7);
  });
});
