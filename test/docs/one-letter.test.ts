import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import path from "node:path";
import { Client } from "undici";
import { expect, it, onTestFinished, vi } from "vitest";
import type { DrainName } from "../../src/ports/ids.ts";
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
  for (const [, name = ""] of scripts) readFileSync(path.join(root, "src/store/ledger", name));
});

/**
 * Functions between the listed ones that only hand on: what each of the client's three calls sends, how long a
 * listing may take, and how many pages are at work.
 */
const handOn = new Set([
  "list in service/message-service.ts",
  "publish in service/message-service.ts",
  "page in redrive/listing/detect-endless-listing.ts",
  "waitWithinBudget in redrive/source/wait-budget.ts",
  "run in redrive/pass/pages-in-flight.ts",
  "ended in redrive/pass/pages-in-flight.ts",
]);

/** The named functions of ours in a stack, through its awaits. */
function oursIn(stack: string): readonly string[] {
  const frames = stack.matchAll(/^ +at (?:async )?(?:[#\w]+\.)?([#\w]+) \(.*\/src\/([\w/.-]+\.ts):/gm);
  return [...frames].map(([, name, file]) => `${name} in ${file}`);
}

it("a drain of one letter makes each of these calls, and its requests pass through no other layer", async () => {
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
  const session = new Session();
  onTestFinished(() => {
    session.disconnect();
    spy.mockRestore();
    Error.stackTraceLimit = stackTraceLimit;
  });
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await stand.start();
  await stand.queue.addTick("main" as DrainName, Date.now());
  await expect.poll(() => stand.events.of("pass:closed").length).toBe(1);
  const { result } = await session.post("Profiler.takePreciseCoverage");

  expect(stand.rig.emulator.dlq.size).toBe(0);
  const called = new Set(
    result.flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        .map(({ functionName }) => `${functionName} in ${url.split("/src/").at(-1)}`),
    ),
  );
  expect(texts.filter((text) => !called.has(text))).toEqual([]);
  expect(Object.keys(stacks).toSorted()).toEqual(["DELETE", "GET", "POST"]);
  const layers = Object.values(stacks).flatMap((stack) => stack?.split("\n") ?? []);
  expect(layers).toContain("listPage in redrive/listing/list-page.ts");
  expect(layers).toContain("settle in redrive/page/settle.ts");
  expect(layers.filter((layer) => !texts.includes(layer) && !handOn.has(layer))).toEqual([]);
});
