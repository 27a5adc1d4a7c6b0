import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLiveStreams, type RenderedSection } from "../../../../../src/people/console/live/streams.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function stand(maxStreams = 3) {
  const state = {
    sections: [] as RenderedSection[] | null,
    renders: 0,
    cpuMs: 0,
    cpuMsEach: 0,
    tookMs: 0,
    aheadMs: 0,
    isKnown: true,
    failures: 0,
    fails: false,
  };
  const streams = createLiveStreams({
    maxStreams,
    cpuMs: () => state.cpuMs,
    now: () => Date.now() + state.aheadMs,
  });
  const open = (key = "page", isStillKnown = () => state.isKnown) =>
    streams.open(key, {
      render: () => {
        state.renders += 1;
        state.cpuMs += state.cpuMsEach;
        state.aheadMs += state.tookMs;
        return state.fails ? Promise.reject(new Error("away")) : Promise.resolve(state.sections);
      },
      isStillKnown,
      failed: () => (state.failures += 1),
    });
  return { streams, state, open };
}

/** What has arrived until it stands still or ends. */
function collect(stream: ReadableStream<Uint8Array>) {
  const got = { text: "", isEnded: false };
  const reader = stream.getReader();
  void (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      got.text += new TextDecoder().decode(value);
    }
    got.isEnded = true;
  })();
  return Object.assign(got, { cancel: () => reader.cancel() });
}

type Stand = Awaited<ReturnType<typeof stand>>;
let state: Stand["state"];
let open: Stand["open"];
let streams: Stand["streams"];
beforeEach(() => {
  ({ state, open, streams } = stand());
});

it("sends a section when its HTML has changed, and renders once for all who look", async () => {
  const [one, other] = [collect(open()!), collect(open()!)];
  state.sections = [{ id: "tiles", html: "<p>1</p>" }];
  await vi.advanceTimersByTimeAsync(2_000);
  expect(one.text).toBe('retry: 3000\n\nevent: sections\ndata: {"tiles":"<p>1</p>"}\n\n');
  expect(other.text).toBe(one.text);
  await vi.advanceTimersByTimeAsync(6_000);
  expect([one.text.match(/event:/g)?.length, state.renders]).toEqual([1, 4]);
  state.sections = [{ id: "tiles", html: "<p>2</p>" }];
  await vi.advanceTimersByTimeAsync(2_000);
  expect(one.text.match(/event:/g)).toHaveLength(2);
});

it("ends the stream of a person who is known no more, and sends it nothing", async () => {
  let isKnown = true;
  const [ended, other] = [collect(open("page", () => isKnown)!), collect(open()!)];
  state.sections = [{ id: "tiles", html: "secret" }];
  isKnown = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect([ended.isEnded, ended.text.includes("secret")]).toEqual([true, false]);
  expect([other.isEnded, other.text.includes("secret"), streams.count()]).toEqual([false, true, 1]);
});

it("says that it is stale while a rendering fails, reports it, and then sends all sections, also if none has changed", async () => {
  const one = collect(open()!);
  state.sections = [{ id: "tiles", html: "the same" }];
  await vi.advanceTimersByTimeAsync(2_000);
  state.fails = true;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(state.failures).toBe(1);
  state.fails = false;
  await vi.advanceTimersByTimeAsync(4_000);
  expect(one.text.match(/event: \w+/g)).toEqual(["event: sections", "event: stale", "event: sections"]);
});

it("renders all pages at the same moment, whenever they were opened", async () => {
  collect(open()!);
  await vi.advanceTimersByTimeAsync(900);
  collect(open("other")!);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(state.renders).toBe(0);
  await vi.advanceTimersByTimeAsync(100);
  expect(state.renders).toBe(2);
});

it("renders less often if that costs more than 0.4 % of a core, and at least every half a minute", async () => {
  collect(open()!);
  state.cpuMsEach = 30;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(state.renders).toBe(1);
  await vi.advanceTimersByTimeAsync(7_499);
  expect(state.renders).toBe(1);
  state.cpuMsEach = 4_000;
  await vi.advanceTimersByTimeAsync(1);
  expect(state.renders).toBe(2);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(state.renders).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(state.renders).toBe(3);
});

it("renders within two seconds after somebody did something, whatever pages cost", async () => {
  collect(open()!);
  state.cpuMsEach = 4_000;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(state.renders).toBe(1);
  streams.soon();
  await vi.advanceTimersByTimeAsync(1_000);
  // Who does a lot does not put it off.
  streams.soon();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(state.renders).toBe(2);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(state.renders).toBe(2);
});

it("does not take for its own cost what a busy daemon does meanwhile", async () => {
  collect(open()!);
  // Half a core before the rendering and during it.
  state.cpuMs = 1_000;
  Object.assign(state, { tookMs: 500, cpuMsEach: 250 });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(state.renders).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(state.renders).toBe(2);
});

it("has a bound, counts who leaves, and leaves no timer behind", async () => {
  const { streams, open } = stand(2);
  const [one, other] = [collect(open()!), collect(open("other")!)];
  expect(open()).toBeNull();
  await one.cancel();
  expect(streams.count()).toBe(1);
  await other.cancel();
  expect([streams.count(), vi.getTimerCount()]).toEqual([0, 0]);
});

it("cuts off a browser that reads nothing", async () => {
  open();
  await vi.advanceTimersByTimeAsync(17 * 25_000);
  expect([streams.count(), vi.getTimerCount()]).toEqual([0, 0]);
});
