import { expect, it } from "vitest";
import type { ReplicaRecord } from "../../../../src/job/contracts/replicas.ts";
import { readFailureList } from "../../../../src/people/operations/failures/list.ts";
import { toSharedText, toVerdict } from "../../../../src/people/operations/status/verdict.ts";
import { toTotals } from "../../../../src/people/read/totals.ts";
import { readFailureViews } from "../../../../src/people/read/read-failures.ts";
import { createReadRig, type ReadRig } from "../../../support/read-rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const open = (drain: string, twinOf?: ReadRig, mode: "plan" | "live" = "live"): Promise<ReadRig> =>
  createReadRig({ redisUrl: redis.url(), drain, mode, ...(twinOf && { twinOf }) });
const said = async (rig: ReadRig) => {
  const status = await rig.status();
  const { ofNoDrain } = await readFailureList(rig.core, {}, Date.now());
  const [note] = toVerdict(status).match(/[^;]*no drain selects[^;]*|\d+ selected by no drain/) ?? [];
  return [status.sources[0]?.depth?.count, toTotals(status).waiting, ofNoDrain.length, note];
};

async function read(rig: ReadRig) {
  const status = await rig.status();
  const { waiting, parked, wouldBeParked } = toTotals(status);
  const views = await readFailureViews(rig.core, Date.now());
  const byKind = views.reduce((sum, one) => sum + one.waiting + one.parked, 0);
  const isAtLeast = status.drains.some(({ stillCounting }) => stillCounting);
  expect(toSharedText(status) === "").toBe(isAtLeast);
  return [isAtLeast ? "at least" : "exactly", waiting, parked, wouldBeParked, byKind];
}

it.each(["main", "money"])(
  "a record counts once, or at least, while drains are counted anew after an edit, %s first",
  async (first) => {
    const money = `    minAge: 0s
    rules: [{ name: gone, when: { responseStatus: 410 }, then: park }]
  money:
    mode: live
    select: { topicName: money }
    rules: [{ name: gone, when: { responseStatus: 410 }, then: park }]
`;
    const before = await open(money, undefined, "plan");
    before.seed(30, { topicName: "money", responseStatus: 410 });
    before.seed(63, { responseStatus: 410 });
    await before.passOf("main");
    await before.passOf("money");
    // The plan would park what is parked too: that is in one number.
    expect(await read(before)).toEqual(["exactly", 0, 30, 63, 93]);
    const after = await open(money, before);
    // What a plan would have parked is not parked since the edit.
    expect(await read(after)).toEqual(["at least", 0, 0, 93, 93]);
    await after.passOf(first);
    expect(await read(after)).toEqual(["at least", 0, ...(first === "main" ? [93, 0] : [0, 93]), 93]);
    await after.passOf(first === "main" ? "money" : "main");
    expect(await read(after)).toEqual(["exactly", 0, 93, 0, 93]);
  },
);

it("what a drain takes since an edit is not of no drain too, until a census has counted anew", async () => {
  const before = await open("    select: { topicName: money }\n    otherwise: hold\n");
  before.seed(5, { topicName: "refunds", responseStatus: 404 });
  before.seed(2, { topicName: "money", responseStatus: 404 });
  await before.pass();
  await before.census();
  expect(await said(before)).toEqual([7, 2, 1, "5 selected by no drain"]);
  // Its rules do not change which letters it has.
  const ruled = await open("    select: { topicName: money }\n    otherwise: hold\n    minAge: 1s\n", before);
  expect(await said(ruled)).toEqual([7, 2, 1, "5 selected by no drain"]);
  const after = await open("    select: { topicName: [money, refunds] }\n    otherwise: hold\n", before);
  await after.pass();
  expect(await said(after)).toEqual([7, 7, 0, " what no drain selects is not counted yet"]);
  await after.census();
  expect(await said(after)).toEqual([7, 7, 0, undefined]);
});

it("the mode of a drain is what its replicas say, and not known if one does not tell or they differ", async () => {
  const { core, status } = await open("    otherwise: hold\n", undefined, "plan");
  const say = async (replica: string, modes?: ReplicaRecord["modes"], documentHash = "another") => {
    const record = { version: "1", documentHash, adoptedAt: 0, rejected: null, resting: [] };
    await core.replicas.announce({ replica, ...record, ...(modes && { modes }) });
    return (await status()).drains.map(({ mode, paused }) => [mode, paused])[0];
  };
  expect(await say("a", { main: "live" })).toEqual(["live", null]);
  expect(await say("a", { main: "paused" })).toEqual(["plan", { by: "document" }]);
  expect(await say("a", { other: "live" })).toEqual([null, null]);
  // An older build beside the same document; then beside another one.
  expect(await say("b", undefined, core.document.hash)).toEqual(["plan", null]);
  expect(await say("a", { main: "live" })).toEqual([null, null]);
  expect(await say("b")).toEqual([null, null]);
});
