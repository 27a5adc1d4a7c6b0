import { expect, test } from "vitest";
import type { SeenVolume } from "../../../../src/job/archive/judge-volume.ts";
import type { Core } from "../../../../src/job/compose/build-core.ts";
import { createArchiveWatch } from "../../../../src/job/daemon/watch-archive.ts";
import type { RedriverEvent } from "../../../../src/job/contracts/events.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const fit: SeenVolume = { verdict: "fit", complaint: "", isCertain: false };
const unfit = (complaint: string): SeenVolume => ({ verdict: "unfit", complaint, isCertain: false });

const healthy = () => ({ problem: () => null });

function createWatch(seen: SeenVolume | null) {
  const events: RedriverEvent[] = [];
  const clock = createManualClock();
  const state: { seen: SeenVolume | null; archive: object | null } = { seen, archive: healthy() };
  const document = { archive: { dir: "/a", keepMs: 1 }, sources: [{ id: "eu" }, { id: "us" }] };
  const watch = createArchiveWatch({
    current: () => ({ archive: state.archive, document }) as unknown as Core,
    clock,
    events: { emit: (event) => void events.push(event) },
    look: () => Promise.resolve(state.seen),
  });
  return { watch, clock, state, take: () => events.splice(0) };
}

const failed = (source: string, message: string) => ({ type: "archive:failed", source, message });

test("one that cannot be written from the start on is told for each source, and again every ten minutes", async () => {
  const { watch, clock, take } = createWatch(unfit("no permission"));
  await watch.look();
  expect(watch.problem()).toBe("no permission");
  const told = [failed("eu", "no permission"), failed("us", "no permission")];
  expect(take()).toEqual(told);
  clock.advance(10 * 60_000 - 1);
  await watch.look();
  expect(take()).toEqual([]);
  clock.advance(1);
  await watch.look();
  expect(take()).toEqual(told);
});

test("how its volume looks is told with each change, and not while it is fit or cannot be asked", async () => {
  const { watch, state, take } = createWatch(fit);
  expect(await watch.look()).toBe(60_000);
  state.seen = null;
  await watch.look();
  expect(watch.problem()).toBeNull();
  expect(take()).toEqual([]);
  state.seen = unfit("read-only");
  await watch.look();
  await watch.look();
  expect(take()).toEqual([
    { type: "archive:volume-seen", verdict: "unfit", complaint: "read-only" },
    failed("eu", "read-only"),
    failed("us", "read-only"),
  ]);
  state.seen = fit;
  await watch.look();
  expect(watch.problem()).toBeNull();
  expect(take()).toEqual([{ type: "archive:volume-seen", verdict: "fit", complaint: "" }]);
});

test("the archive of another document is looked at afresh, and none has no problem", async () => {
  const { watch, state, take } = createWatch(unfit("full"));
  await watch.look();
  take();
  state.archive = healthy();
  expect(watch.problem()).toBeNull();
  await watch.look();
  expect(watch.problem()).toBe("full");
  expect(take()).toEqual([failed("eu", "full"), failed("us", "full")]);
  state.archive = null;
  await watch.look();
  expect(watch.problem()).toBeNull();
});
