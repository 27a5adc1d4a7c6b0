import type { Act, TcpHow } from "./acts.ts";
import type { Dice } from "../rig/dice.ts";
import { drawEmulatorFault } from "./emulator-faults.ts";

export type Draw = (dice: Dice) => { readonly act: Act; readonly forMs: number };

const brief = (dice: Dice): number => dice.whole(300, 5_000);

const shiftClock: Draw = (dice) => ({
  act: { kind: "shift-clock", offsetMs: 1_000 * dice.pick([-300, -60, -5, 5, 60, 300, 0]) },
  forMs: dice.whole(3_000, 15_000),
});

const receiverDown: Draw = (dice) => ({
  act: { kind: "receiver-down", status: dice.pick([503, 500, 429]) },
  forMs: dice.whole(2_000, 8_000),
});

const burst: Draw = (dice) => ({ act: { kind: "burst", count: dice.whole(110, 260) }, forMs: 0 });

const hows: readonly TcpHow[] = ["cut", "reset", "stall", "half-open", "slow"];

/** One of each kind, and more of those that matter most. */
export function toDraws(daemons: number): Draw[] {
  const anyDaemon = (dice: Dice): number => dice.whole(0, daemons - 1);
  const kill: Draw = (dice) => ({
    act: { kind: "kill", daemon: anyDaemon(dice) },
    forMs: dice.whole(100, 4_000),
  });
  // Longer than the takeover of 17 s now and then.
  const freeze: Draw = (dice) => ({
    act: { kind: "freeze", daemon: anyDaemon(dice) },
    forMs: dice.pick([dice.whole(200, 3_000), dice.whole(3_000, 12_000), dice.whole(18_000, 24_000)]),
  });
  return [
    kill,
    kill,
    kill,
    kill,
    freeze,
    freeze,
    freeze,
    shiftClock,
    shiftClock,
    receiverDown,
    receiverDown,
    burst,
    burst,
    (dice) => ({ act: { kind: "terminate", daemon: anyDaemon(dice) }, forMs: dice.whole(3_000, 9_000) }),
    ...(["SIGTERM", "SIGKILL"] as const).map((signal): Draw => (dice) => ({
      act: { kind: "redis-restart", signal },
      forMs: brief(dice),
    })),
    (dice) => ({ act: { kind: "redis-freeze" }, forMs: brief(dice) }),
    (dice) => ({ act: { kind: "redis-full" }, forMs: brief(dice) }),
    (dice) => ({ act: { kind: "redis-refuses-writes" }, forMs: brief(dice) }),
    () => ({ act: { kind: "redis-flush" }, forMs: 0 }),
    (dice) => {
      const lagMs = dice.whole(500, 6_000);
      return { act: { kind: "redis-failover", lagMs }, forMs: lagMs + 3_000 };
    },
    ...hows.map((how): Draw => (dice) => ({
      act: {
        kind: "tcp-redis",
        how,
        daemons: dice.chance(0.4) ? range(daemons) : [anyDaemon(dice)],
        delayMs: dice.whole(20, 400),
      },
      forMs: how === "reset" ? 0 : dice.whole(500, 6_000),
    })),
    ...hows.map((how): Draw => (dice) => ({
      act: {
        kind: "tcp-service",
        how,
        share: dice.pick(["all", "half"]),
        delayMs: dice.whole(20, 1_200),
      },
      forMs: how === "reset" ? 0 : dice.whole(500, 6_000),
    })),
    ...Object.values(drawEmulatorFault).map((draw): Draw => (dice) => ({
      act: { kind: "emulator", fault: draw(dice) },
      forMs: dice.whole(3_000, 12_000),
    })),
    // Statuses are many: all classes of them are to be met.
    ...Array.from({ length: 3 }, (): Draw => (dice) => ({
      act: { kind: "emulator", fault: drawEmulatorFault.status(dice) },
      forMs: dice.whole(3_000, 12_000),
    })),
    (dice) => ({
      act: { kind: "service-clock", offsetMs: dice.pick([-300_000, 300_000]) },
      forMs: brief(dice),
    }),
    (dice) => ({
      act: {
        kind: "service-rate-limit",
        operation: dice.pick(["list", "delete", "batch"]),
        perS: dice.whole(1, 4),
      },
      forMs: brief(dice),
    }),
    (dice) => ({ act: { kind: "listing-order" }, forMs: brief(dice) }),
    (dice) => ({ act: { kind: "token-rotated" }, forMs: dice.whole(500, 4_000) }),
    (dice) => ({ act: { kind: "refuse-everything" }, forMs: dice.whole(3_000, 6_000) }),
  ];
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
