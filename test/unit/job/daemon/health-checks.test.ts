import { expect, test } from "vitest";
import type { Core } from "../../../../src/job/compose/build-core.ts";
import { toSourcePauses } from "../../../../src/job/daemon/run-daemon.ts";
import { toReadiness, type DaemonState } from "../../../../src/job/daemon/health-checks.ts";
import type { SourceId } from "../../../../src/job/contracts/ids.ts";
import type { RedisConnection } from "../../../../src/job/redis/connect.ts";
import { createSourceHealth } from "../../../../src/job/source/source-health.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const state: DaemonState = { redisProblems: [], schedulesAppliedAt: 1, stopping: false };
const redis = { whyAway: () => null } as RedisConnection;

function sourcesOf(...ids: readonly string[]) {
  const failing = new Set<string>();
  const healths = ids.map((id) =>
    createSourceHealth(
      id as SourceId,
      createManualClock(),
      { emit: () => undefined },
      { leftMs: () => 0, isFailing: () => failing.has(id), takeRetry: () => true },
    ),
  );
  const sources = new Map(ids.map((id, at) => [id, { runtime: { config: { id }, health: healths[at] } }]));
  return { healths, failing, core: { sources } as unknown as Core };
}

test("is not given where no source may be published through, and is where one may", () => {
  const { healths, core } = sourcesOf("eu", "us");
  expect(toReadiness(core, redis, state, null)).toEqual({ ok: true, reasons: [] });
  healths[0]!.halt("unauthorised", "batch at eu: expected 2xx, got 403", "batch");
  expect(toReadiness(core, redis, state, null).ok).toBe(true);
  healths[1]!.halt("answer-unreadable", "list at us: expected JSON");
  expect(toReadiness(core, redis, state, null)).toEqual({
    ok: false,
    reasons: [
      "source eu is halted for publishing: batch at eu: expected 2xx, got 403 (unauthorised; see docs/errors.md)",
      "source us is halted: list at us: expected JSON (answer-unreadable; see docs/errors.md)",
    ],
  });
  healths[0]!.resume();
  expect(toReadiness(core, redis, state, null).ok).toBe(true);
});

test("what a replica announces of a source is its halt before its rest", () => {
  const { healths, failing, core } = sourcesOf("eu", "us");
  healths[1]!.halt("service-refuses-everything", "10 in a row", "batch");
  failing.add("eu").add("us");
  expect(toSourcePauses(core.sources.values())).toEqual([
    { source: "eu", state: "waiting", code: "service-unavailable" },
    { source: "us", state: "halted", code: "service-refuses-everything" },
  ]);
});

const drain = (name: string, mode: string, then: string, paused = false) =>
  [name, { config: { name, mode, paused, rules: [{ then: "republish" }, { then }] } }] as const;

test("an archive that cannot keep anything is a reason where a live drain drops, and nowhere else", () => {
  const { core } = sourcesOf("eu");
  const withDrains = (...drains: readonly ReturnType<typeof drain>[]): Core =>
    ({ ...core, drains: new Map(drains) }) as unknown as Core;
  const full = "no space left on the volume";
  const others = [
    drain("planned", "plan", "drop"),
    drain("paused", "live", "drop", true),
    drain("kept", "live", "park"),
  ];
  expect(toReadiness(withDrains(...others), redis, state, full)).toEqual({ ok: true, reasons: [] });
  const dropping = withDrains(...others, drain("orders", "live", "drop"), drain("refunds", "live", "drop"));
  expect(toReadiness(dropping, redis, state, full)).toEqual({
    ok: false,
    reasons: ["no space left on the volume; until then what orders, refunds would drop is held"],
  });
  expect(toReadiness(dropping, redis, state, null).ok).toBe(true);
});
