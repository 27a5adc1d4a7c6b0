import { hourMs, toRecords } from "../../../rig/letters.ts";
import type { SeedRecord } from "../../../../dev/emulator/index.ts";
import type { Stage } from "../stage.ts";
import { withFaults } from "./faults.ts";

const many = (count: number, record: SeedRecord): readonly SeedRecord[] =>
  Array.from({ length: count }, () => record);

/** What each rule of the drains `changed` and `sorted` gets to see. */
export async function seedForRules({ stack, destinations }: Stage): Promise<void> {
  const { now } = await stack.emulator.state();
  const { changed, sorted } = destinations;
  const kinds = [
    ...many(3, {
      url: changed,
      responseStatus: 500,
      body: '{"schema":2,"id":1}',
      header: { "X-Legacy": ["1"] },
    }),
    ...many(3, { url: changed, responseStatus: 502, body: "plain text" }),
    ...many(3, { url: changed, responseStatus: 503, flowControlKey: "live", rate: 50, period: 1 }),
    ...many(3, { url: sorted, responseStatus: 410 }),
    ...many(3, { url: sorted, responseStatus: 489 }),
    ...many(3, { url: sorted, responseStatus: 404, bodyBase64: "/w==", body: "" }),
  ];
  const records = kinds.map((record, index) => {
    const at = now - hourMs - index;
    return { dlqId: `${at}-${index}`, createdAt: at, ...record };
  });
  await stack.emulator.seed(records);
}

/** A frozen plan, then a pass over everything in which every kind of call is lost, limited or refused once. */
export async function drain(stage: Stage): Promise<void> {
  const { stack, run, tryToRun, destinations } = stage;
  const { now } = await stack.emulator.state();
  const base = destinations.forms.replace(/\/hook$/, "");
  await stack.emulator.seed(
    ["plain", "whole", "refused"].flatMap((name) => toRecords({ name, count: 5, url: base }, now)),
  );
  const frozen = `${stack.archiveDir}-plan.json`;
  await run("plan", "changed", "--limit", "2", "--out", frozen);
  await run("apply", frozen, "--yes", "--by", "tester", "--reason", "to be seen");
  await withFaults(
    stage,
    [
      { kind: "drop-answer", operation: "batch", when: "after", count: 2 },
      { kind: "drop-answer", operation: "delete", when: "after", count: 2 },
      { kind: "status", operation: "batch", status: 429, limit: "burst", count: 1 },
      { kind: "status", operation: "delete", status: 429, limit: "daily", count: 1 },
      { kind: "status", operation: "batch", status: 503, count: 1 },
      { kind: "delete-works-answers-500", count: 1 },
      { kind: "refuse-batch", bodyContains: '"whole-' },
      { kind: "item-error", bodyContains: '"refused-' },
      { kind: "half-failed-group", bodyContains: '"plain-0"' },
    ],
    async () => {
      await tryToRun("drain", "--all", "--yes");
      await tryToRun("drain", "--all", "--yes");
    },
  );
}

/** The desk of a person: what is parked, why, and back it goes. */
export async function readDesk({ run, tryToRun }: Stage): Promise<void> {
  const { out } = await run("parked", "list", "--json");
  const ids = out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { readonly dlqId: string }).dlqId);
  const [first = "", ...others] = ids;
  await run("parked", "show", ...ids.slice(0, 5), "--json");
  await run("parked", "summary");
  await run("rules", "explain", first, "--drain", "sorted");
  await run("failures");
  await run("history", first);
  await run("status");
  await run("parked", "release", ...others.slice(0, 3), "--yes", "--by", "tester", "--reason", "tried again");
  await tryToRun("drain", "--all", "--yes");
}
