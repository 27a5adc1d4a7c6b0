import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defined } from "../../../../../src/job/message/defined.ts";
import type { CapacityRequest, Rate } from "../../../../../src/job/contracts/capacity.ts";
import { createCapacityStand, pass, query, type CapacityStand } from "../../../../support/capacity-stands.ts";
import { useRedis } from "../../../../support/redis.ts";
import { casesOf } from "../../../../support/fuzzing.ts";

const redis = useRedis();

const rate = fc.oneof(
  fc.record({ count: fc.integer({ min: 1, max: 40 }), perMs: fc.constant(1_000) }),
  fc.record({ count: fc.integer({ min: 101, max: 400 }), perMs: fc.constant(1_000) }),
  fc.record({ count: fc.integer({ min: 1, max: 900 }), perMs: fc.constant(60_000) }),
);
const hosts = ["a.example.com", "b.example.com", "queue:c"];
const request = fc.record({
  host: fc.constantFrom(...hosts),
  isLimited: fc.boolean(),
  post: fc.constantFrom("first" as const, "first" as const, "again" as const),
});
const take = fc.record({
  do: fc.constant("take" as const),
  replica: fc.nat(1),
  pass: fc.nat(1),
  asked: fc.array(request, { minLength: 1, maxLength: 25 }),
});
const wait = fc.record({
  do: fc.constant("wait" as const),
  ms: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 200, max: 3_000 })),
});
const change = fc.record({
  do: fc.constantFrom("give-back" as const, "move" as const),
  replica: fc.nat(1),
  which: fc.nat(4),
  every: fc.integer({ min: 1, max: 3 }),
});
const step = fc.oneof(take, take, take, wait, wait, wait, change);
const atMost = (max: number) => fc.option(fc.integer({ min: 1, max }), { nil: undefined });
const story = fc.record({
  publish: fc.option(rate, { nil: undefined }),
  perHost: fc.option(rate, { nil: undefined }),
  rule: rate,
  perPass: atMost(60),
  perDay: atMost(90),
  steps: fc.array(step, { minLength: 1, maxLength: 60 }),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

interface Grant {
  readonly at: number;
  readonly passId: string;
  readonly request: CapacityRequest;
}

/** What is still granted at the end. */
async function play(told: Story, stand: CapacityStand): Promise<readonly Grant[]> {
  const { publish, perHost, perPass, perDay } = told;
  const limits = defined({ publish, perHost, perPass, perDay });
  const replicas = [stand.capacity, stand.twin];
  const takes: { readonly passId: string; readonly at: number; granted: readonly Grant[] }[] = [];
  for (const one of told.steps) {
    if (one.do === "wait") {
      await stand.advance(one.ms);
    } else if (one.do === "take") {
      const passId = `p${one.pass}`;
      const requests = one.asked.map(({ host, isLimited, post }): CapacityRequest => ({
        host,
        rule: "outage",
        post,
        ...(isLimited ? { ruleLimit: told.rule } : {}),
      }));
      const answer = await replicas[one.replica]!.take(query({ passId: pass(passId), limits, requests }));
      const granted = requests.filter((_, index) => answer.verdicts[index]?.kind === "granted");
      takes.push({
        passId,
        at: answer.at,
        granted: granted.map((each) => ({ at: answer.at, passId, request: each })),
      });
    } else {
      const take = takes.at(-1 - one.which);
      if (take === undefined) continue;
      const unused = take.granted.filter((_, index) => index % one.every === 0);
      const asked = query({
        passId: pass(take.passId),
        limits,
        requests: unused.map((grant) => grant.request),
      });
      if (one.do === "move") {
        const moving = asked.requests.map((each) => ({ ...each, grantedAt: take.at }));
        const { verdicts, at } = await replicas[one.replica]!.take({ ...asked, requests: moving });
        const moved = unused.filter((_, index) => verdicts[index]?.kind === "granted");
        take.granted = take.granted.filter((grant) => !moved.includes(grant));
        takes.push({ passId: take.passId, at, granted: moved.map((grant) => ({ ...grant, at })) });
        continue;
      }
      await replicas[one.replica]!.giveBack(asked, take.at);
      take.granted = take.granted.filter((grant) => !unused.includes(grant));
    }
  }
  return takes.flatMap(({ granted }) => granted);
}

/** The most that was granted in any span [t, t + spanMs): each that begins at a grant is looked at. */
function mostIn(grants: readonly Grant[], spanMs: number): number {
  const counts = grants.map(
    ({ at }) => grants.filter((other) => other.at >= at && other.at < at + spanMs).length,
  );
  return Math.max(0, ...counts);
}

function expectBound(grants: readonly Grant[], { count, perMs }: Rate): void {
  expect(mostIn(grants, perMs)).toBeLessThanOrEqual(count);
  const most = Math.max(1, Math.floor((count * 1_000) / perMs));
  expect(mostIn(grants, perMs / Math.floor(count / most))).toBeLessThanOrEqual(most);
}

function expectAllBounds(told: Story, grants: readonly Grant[]): void {
  if (told.publish !== undefined) expectBound(grants, told.publish);
  for (const host of hosts) {
    const ofHost = grants.filter(({ request: { host: of } }) => of === host);
    if (told.perHost !== undefined) expectBound(ofHost, told.perHost);
  }
  const ofRule = grants.filter(({ request: { ruleLimit } }) => ruleLimit !== undefined);
  expectBound(ofRule, told.rule);
  const counted = grants.filter(({ request: { post } }) => post === "first");
  expect(counted.length).toBeLessThanOrEqual(told.perDay ?? Infinity);
  for (const passId of ["p0", "p1"]) {
    const ofPass = counted.filter((grant) => grant.passId === passId);
    expect(ofPass.length).toBeLessThanOrEqual(told.perPass ?? Infinity);
  }
}

describe("capacity, whatever two replicas ask, give back and wait", () => {
  it(
    "never grants more than its rates in any span, nor more than its ceilings",
    { timeout: 240_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(story, async (told) => {
          expectAllBounds(told, await play(told, createCapacityStand(redis.fresh())));
        }),
        { numRuns: casesOf(200) },
      );
    },
  );

  it(
    "grants a hungry taker all that the rate has, but for what rounding costs",
    { timeout: 240_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(rate, async (publish) => {
          const stand = createCapacityStand(redis.fresh());
          const wanted = Array.from({ length: 100 }, (): CapacityRequest => ({
            host: "a",
            rule: null,
            post: "first",
          }));
          const end = stand.now() + 2 * publish.perMs;
          const grants: Grant[] = [];
          while (stand.now() < end) {
            const asked = query({ limits: { publish }, requests: wanted });
            const { verdicts, at } = await stand.capacity.take(asked);
            const waits = verdicts.flatMap((verdict) => (verdict.kind === "wait" ? [verdict.until] : []));
            grants.push(...wanted.slice(waits.length).map((each) => ({ at, passId: "p1", request: each })));
            if (waits.length > 0) await stand.advance(Math.min(...waits) - stand.now());
          }
          expect(grants.length).toBeGreaterThanOrEqual(Math.floor(2 * publish.count * 0.95));
          expectBound(grants, publish);
        }),
        { numRuns: casesOf(100) },
      );
    },
  );
});
