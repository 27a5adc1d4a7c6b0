import { describe, expect, test } from "vitest";
import type { BuiltSource } from "../../../../src/job/compose/build-source.ts";
import { probeSources } from "../../../../src/job/daemon/probe-halted-sources.ts";
import { RedriverError, type ErrorCode } from "../../../../src/job/contracts/errors.ts";
import type { SourceId } from "../../../../src/job/contracts/ids.ts";
import { createSourceHealth } from "../../../../src/job/source/source-health.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const everyMs = 1_000;
const answered = () => Promise.resolve({ records: [] });

/** A source as the prober sees it, whose small listing ends so; `round` is one round of the prober. */
function halted(list: () => Promise<unknown>) {
  const clock = createManualClock();
  const events = { emit: () => undefined };
  const health = createSourceHealth("eu" as SourceId, clock, events, {
    leftMs: () => 0,
    isFailing: () => false,
    takeRetry: () => false,
  });
  let isTokenNew = false;
  const source = {
    runtime: { config: { id: "eu" }, health, bind: () => Promise.resolve() },
    service: { list },
    token: { reread: () => isTokenNew },
  } as unknown as BuiltSource;
  return {
    health,
    clock,
    changeToken: (isNew = true) => void (isTokenNew = isNew),
    async round() {
      clock.advance(everyMs);
      await probeSources([source], { clock, events }, new AbortController().signal);
    },
  };
}

const failing = (code: ErrorCode) => () => Promise.reject(new RedriverError(code, "because"));
const unanswered = failing("service-unavailable");
const state = ({ health }: ReturnType<typeof halted>) => health.current("batch").state;

test.each<[string, ErrorCode, () => Promise<unknown>, "usable" | "halted", ("dlq" | "batch")?]>([
  ["resumes when its small listing is answered", "unauthorised", answered, "usable"],
  ["resumes when that is too large to be read", "unauthorised", failing("answer-too-large"), "usable"],
  ["stays halted when that is refused", "unauthorised", failing("unauthorised"), "halted"],
  ["stays halted when that is unreadable", "unauthorised", failing("answer-unreadable"), "halted"],
  ["stays halted when that is not answered", "unauthorised", unanswered, "halted"],
  ["may try its next batch when that is answered", "unauthorised", answered, "usable", "batch"],
  ["may try its next batch after nonsense", "answer-unreadable", answered, "usable", "batch"],
  ["may not try its next batch before", "answer-unreadable", unanswered, "halted", "batch"],
])("a source that is halted %s", async (_name, code, list, expected, callClass = "dlq") => {
  const { health, round } = halted(list);
  health.halt(code, "refused", callClass);
  await round();
  expect(health.current(callClass).state).toBe(expected);
});

test("a source that refuses everything rests for ten minutes, whatever a listing says", async () => {
  const source = halted(answered);
  source.health.halt("service-refuses-everything", "refused", "batch");
  await source.round();
  source.clock.advance(10 * 60_000 - 3 * everyMs);
  await source.round();
  expect(state(source)).toBe("halted");
  await source.round();
  expect(state(source)).toBe("usable");
});

test("publishing resumes with listing where that was refused for the same reason, and not for another", async () => {
  const same = halted(answered);
  same.health.halt("unauthorised", "refused", "batch");
  same.health.halt("unauthorised", "refused");
  await same.round();
  expect(state(same)).toBe("usable");
  const other = halted(answered);
  other.health.halt("service-refuses-everything", "refused", "batch");
  other.health.halt("unauthorised", "refused");
  await other.round();
  expect(other.health.current().state).toBe("usable");
  expect(state(other)).toBe("halted");
});

const minuteMs = 60_000;
const unreadable = (source: ReturnType<typeof halted>): void =>
  source.health.halt("answer-unreadable", "not JSON", "batch");

/** How long it waited for its next trial, in rounds of half a minute. */
async function untilTried(source: ReturnType<typeof halted>): Promise<number> {
  const from = source.clock.monotonic();
  while (state(source) === "halted") {
    if (source.clock.monotonic() - from > 20 * minuteMs) throw new Error("it is not tried any more");
    source.clock.advance(30_000 - everyMs);
    await source.round();
  }
  return source.clock.monotonic() - from;
}

describe("publishing that is tried and refused again", () => {
  test("waits twice as long for each trial, ten minutes at most", async () => {
    const source = halted(answered);
    const waits: number[] = [];
    for (let trial = 0; trial < 8; trial += 1) {
      unreadable(source);
      waits.push(await untilTried(source));
    }
    expect(waits).toEqual([0.5, 0.5, 1, 2, 4, 8, 10, 10].map((minutes) => minutes * minuteMs));
  });

  test("is tried at once under another token, and waits little after that", async () => {
    const source = halted(answered);
    for (let trial = 0; trial < 4; trial += 1) {
      unreadable(source);
      await untilTried(source);
    }
    unreadable(source);
    await source.round();
    expect(state(source)).toBe("halted");
    source.changeToken(true);
    await source.round();
    expect(state(source)).toBe("usable");
    source.changeToken(false);
    unreadable(source);
    expect(await untilTried(source)).toBe(30_000);
  });

  test("is not listed for while it waits or is on trial", async () => {
    let lists = 0;
    const source = halted(() => Promise.resolve({ records: [], lists: (lists += 1) }));
    unreadable(source);
    for (let round = 0; round < 5; round += 1) await source.round();
    expect(lists).toBe(1);
    unreadable(source);
    for (let round = 0; round < 5; round += 1) await source.round();
    expect(lists).toBe(1);
  });
});
