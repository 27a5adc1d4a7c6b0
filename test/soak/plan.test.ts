import { describe, expect, it } from "vitest";
import { faultKinds } from "../../dev/emulator/index.ts";
import { claimsOf, nameOf, type PlannedAct } from "./acts.ts";
import { createDice } from "../rig/dice.ts";
import { drawService } from "./draw-service.ts";
import { drawEmulatorFault, lyingAboutPositions } from "./emulator-faults.ts";
import { toPlan } from "./plan.ts";

const options = { durationMs: 600_000, calmMs: 35_000, daemons: 3 };
const seeds = [1, 2, 3, 4, 5, 6, 7, 8];

function meet(one: PlannedAct, other: PlannedAct): boolean {
  return one.at <= other.at + other.forMs && other.at <= one.at + one.forMs;
}

describe("a plan", () => {
  it("follows from its seed, and another seed makes another one", () => {
    expect(toPlan({ ...options, seed: 7 })).toEqual(toPlan({ ...options, seed: 7 }));
    expect(toPlan({ ...options, seed: 7 })).not.toEqual(toPlan({ ...options, seed: 8 }));
  });

  it.each(seeds)("of ten minutes breaks in every way there is, with seed %i", (seed) => {
    const names = new Set(toPlan({ ...options, seed }).acts.map(({ act }) => nameOf(act)));
    for (const kind of faultKinds) expect(names).toContain(`emulator ${kind}`);
    for (const how of ["cut", "reset", "stall", "half-open", "slow"]) {
      expect(names).toContain(`tcp-redis ${how}`);
      expect(names).toContain(`tcp-service ${how}`);
    }
    const others = [
      "SIGKILL",
      "SIGTERM",
      "SIGSTOP",
      "shift-clock",
      "redis-restart SIGTERM",
      "redis-restart SIGKILL",
      "redis-freeze",
      "redis-full",
      "redis-refuses-writes",
      "redis-flush",
      "redis-failover",
      "service-clock",
      "service-rate-limit",
      "listing-order",
      "token-rotated",
      "refuse-everything",
      "receiver-down",
      "burst",
    ];
    expect([...names].filter((name) => !/^(emulator|tcp-)/.test(name)).toSorted()).toEqual(others.toSorted());
  });

  it.each(seeds)("ends every act with its storm, and leaves calms between storms, with seed %i", (seed) => {
    const { acts, storms } = toPlan({ ...options, seed });
    for (const { at, forMs } of acts) {
      expect(storms.some(({ from, to }) => at >= from && at + forMs <= to)).toBe(true);
    }
    const calms = storms.slice(1).map(({ from }, index) => from - storms[index]!.to);
    expect(calms.length).toBeGreaterThan(3);
    expect(new Set(calms)).toEqual(new Set([options.calmMs]));
    expect(storms.at(-1)?.to).toBe(options.durationMs);
  });

  it.each(seeds)("gives each act to itself what it must not share, with seed %i", (seed) => {
    const { acts } = toPlan({ ...options, seed });
    for (const [index, one] of acts.entries()) {
      const shared = acts
        .slice(index + 1)
        .filter((other) => meet(one, other))
        .filter((other) => claimsOf(other.act).some((claim) => claimsOf(one.act).includes(claim)));
      expect(shared.map(({ act }) => nameOf(act))).toEqual([]);
    }
  });

  it("never lets two lies about positions of one answer meet", () => {
    const dice = createDice(1);
    for (const kind of lyingAboutPositions) {
      expect(claimsOf({ kind: "emulator", fault: drawEmulatorFault[kind](dice) })).toEqual(["positions"]);
    }
  });

  it("of two minutes is broken until its end", () => {
    for (const seed of seeds) {
      expect(toPlan({ ...options, durationMs: 120_000, seed }).storms.at(-1)?.to).toBe(120_000);
    }
  });
});

describe("the service", () => {
  it("follows from its seed, and some seed makes it so in every way there is", () => {
    const drawn = seeds.map((seed) => drawService(createDice(seed)));
    expect(drawService(createDice(1))).toEqual(drawn[0]);
    expect(
      new Set(drawn.flatMap((service) => Object.entries(service).map((pair) => pair.join(" ")))),
    ).toEqual(
      new Set([
        "dateFilter entered",
        "dateFilter created",
        "order earliestFirst",
        "order latestFirst",
        "missingStatus absent",
        "missingStatus zero",
        "recordHeaders forwarded",
        "recordHeaders sent",
        "cursorBy record",
        "cursorBy offset",
        "dedupWindowFrom first",
        "dedupWindowFrom last",
      ]),
    );
  });
});
