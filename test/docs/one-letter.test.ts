import { readFileSync } from "node:fs";
import path from "node:path";
import { Client } from "undici";
import { expect, it, onTestFinished, vi } from "vitest";
import type { DrainName } from "../../src/job/contracts/ids.ts";
import { calledByDaemon } from "../support/called-by-daemon.ts";
import { createJobStand } from "../support/job-stand.ts";
import { readDoc, root } from "../support/markdown.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis();
const drain = `
    minAge: 0s
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
const steps = [
  ...readDoc("ARCHITECTURE.md").matchAll(/^\| (\d+) \| `(\w+)` \| `([\w/.-]+)` \| .+ \|$/gm),
].map(([, number, name = "", file = ""]) => ({ number: Number(number), name, file }));
const texts = steps.map(({ name, file }) => `${name} in ${file}`);

it("one letter's calls are numbered, each once, and at most 45 through 30 files", () => {
  expect(steps.map(({ number }) => number)).toEqual(steps.map((_, index) => index + 1));
  expect(new Set(texts).size).toBe(steps.length);
  expect(steps.length).toBeGreaterThan(30);
  expect(steps.length).toBeLessThanOrEqual(45);
  expect(new Set(steps.map(({ file }) => file)).size).toBeLessThanOrEqual(30);
});

it("the scripts named with them are in the ledger", () => {
  const scripts = [...readDoc("ARCHITECTURE.md").matchAll(/^\| \d+ \| .* `([\w.-]+\.lua\.ts)`/gm)];
  expect(scripts).toHaveLength(3);
  for (const [, name = ""] of scripts) readFileSync(path.join(root, "src/job/store/ledger", name));
});

/**
 * Functions between the listed ones that only hand on: what each of the client's three calls sends, how long a
 * listing may take, how many pages are at work, and what is halved if it breaks.
 */
const handOn = new Set([
  "apart in job/page/apart.ts",
  "eachApart in job/page/apart.ts",
  "work in job/page/apart.ts",
  "stage in job/page/work-page.ts",
  "byHalves in job/by-halves.ts",
  "writePublished in job/page/publish/record-published.ts",
  "list in job/service/message-service.ts",
  "publish in job/service/message-service.ts",
  "page in job/listing/detect-endless-listing.ts",
  "waitWithinBudget in job/source/wait-budget.ts",
  "run in job/pass/pages-in-flight.ts",
  "ended in job/pass/pages-in-flight.ts",
  "handle in job/daemon/handle-job.ts",
]);

/** The named functions of ours in a stack, through its awaits. */
function oursIn(stack: string): readonly string[] {
  const frames = stack.matchAll(/^ +at (?:async )?(?:[#\w]+\.)?([#\w]+) \(.*\/src\/([\w/.-]+\.ts):/gm);
  return [...frames].map(([, name, file]) => `${name} in ${file}`);
}

it("a drain of one letter makes each of these calls", async () => {
  const all = await calledByDaemon(redis.url(), 1);
  const called = new Set(all.filter(({ calls }) => calls > 0).map(({ name, file }) => `${name} in ${file}`));
  expect(texts.filter((text) => !called.has(text))).toEqual([]);
});

it("the requests of one letter pass through no other layer", async () => {
  const stand = await createJobStand({ redisUrl: redis.url(), drain });
  stand.rig.seed(1);
  const stacks: Partial<Record<string, string>> = {};
  const { dispatch } = Client.prototype;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const spy = vi.spyOn(Client.prototype, "dispatch").mockImplementation(function (this: Client, ...call) {
    const [{ method, path: asked }] = call;
    const stack = oursIn(new Error("only its stack").stack ?? "").join("\n");
    if (asked.startsWith("/v2/") && !stack.includes("learnDates")) stacks[method] = stack;
    return dispatch.apply(this, call);
  });
  onTestFinished(() => {
    spy.mockRestore();
    Error.stackTraceLimit = stackTraceLimit;
  });
  await stand.start();
  await stand.queue.addTick("main" as DrainName, Date.now());
  await expect.poll(() => stand.events.of("pass:closed").length).toBe(1);
  expect(stand.rig.emulator.dlq.size).toBe(0);
  expect(Object.keys(stacks).toSorted()).toEqual(["DELETE", "GET", "POST"]);
  const layers = Object.values(stacks).flatMap((stack) => stack?.split("\n") ?? []);
  expect(layers).toContain("listPage in job/listing/list-page.ts");
  expect(layers).toContain("settle in job/page/settle.ts");
  expect(layers.filter((layer) => !texts.includes(layer) && !handOn.has(layer))).toEqual([]);
});
