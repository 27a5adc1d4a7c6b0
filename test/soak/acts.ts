import { renameSync, writeFileSync } from "node:fs";
import type { FaultDefinition } from "../../dev/emulator/index.ts";
import type { DaemonProcess } from "../rig/daemon-process.ts";
import type { Dice } from "../rig/dice.ts";
import { waitUntil } from "../rig/wait.ts";
import type { Share, TcpProxy } from "../support/tcp-proxy.ts";
import type { Bookkeeping } from "./bookkeeping.ts";
import { drawEmulatorFault, lyingAboutPositions } from "./emulator-faults.ts";
import type { MadeLetter } from "./letters.ts";
import type { SoakRedis } from "./redis-pair.ts";
import { newSecret, type Stand } from "./stand.ts";

/** What the soak does to a part of the stand, for as long as it is planned; then it takes it back. */
export interface Act {
  /** For people, and for counting. */
  readonly name: string;
  readonly forMs: number;
  /** What it has to itself while it lasts. */
  readonly claims: readonly string[];
  /** How it was drawn. */
  readonly details?: object;
  /** After it the ledger may lack writes that were acknowledged. */
  readonly losesWrites?: true;
  /** Does it, and answers how it is taken back. */
  begin(stand: Stand, books: Bookkeeping): Promise<Undo | void> | Undo | void;
}
export type Undo = () => Promise<void> | void;

export type Draw = (dice: Dice, daemons: number) => Act;

/**
 * What keeps all daemons from working: one such act at a time, or nothing would be under way for the others
 * to meet.
 */
const everybody = "everybody";
const brief = (dice: Dice): number => dice.whole(300, 5_000);

/** Begun by the first, taken back by the second. */
type Ways<Part> = readonly [(part: Part) => unknown, (part: Part) => Promise<void> | void];

function toDaemon(name: string, forMs: (dice: Dice) => number, [begin, end]: Ways<DaemonProcess>): Draw {
  return (dice, daemons) => {
    const daemon = dice.whole(0, daemons - 1);
    return {
      name,
      forMs: forMs(dice),
      claims: [`daemon ${daemon}`],
      details: { daemon },
      async begin(stand) {
        const one = stand.daemons[daemon]!;
        await begin(one);
        return () => end(one);
      },
    };
  };
}

function toRedis(name: string, [begin, end]: Ways<SoakRedis>): Draw {
  return (dice) => ({
    name,
    forMs: brief(dice),
    claims: ["redis", everybody],
    async begin({ redis }) {
      const server = redis.primary();
      await begin(server);
      return () => end(server);
    },
  });
}

const configure = (setting: string, value: string, usual: string): Ways<SoakRedis> => {
  const set = async ({ connection }: SoakRedis, to: string): Promise<void> =>
    void (await connection.command("CONFIG", "SET", setting, to));
  return [(server) => set(server, value), (server) => set(server, usual)];
};

const hows: Readonly<Record<string, (path: TcpProxy, share: Share, delayMs: number) => unknown>> = {
  cut: (path) => path.cut(),
  reset: (path, share) => path.reset(share),
  stall: (path, share) => path.stall(share),
  "half-open": (path, share) => path.swallow(share),
  slow: (path, share, delayMs) => path.slow(delayMs, share),
};

/** While a path is cut another program may be lent its port, for a connection as a rule. */
function heal(path: TcpProxy): Promise<void> {
  const isHealed = (): Promise<boolean> =>
    path.heal().then(
      () => true,
      () => false,
    );
  return waitUntil("the port of a path that was cut", isHealed, 30_000);
}

const toPaths = (
  how: string,
  pathsOf: (stand: Stand) => readonly TcpProxy[],
  share: Share,
  delayMs: number,
) =>
  async function begin(stand: Stand): Promise<Undo> {
    const paths = pathsOf(stand);
    for (const path of paths) await hows[how]!(path, share, delayMs);
    return async () => void (await Promise.all(paths.map(heal)));
  };

/** All daemons are meant, and none of them is only slow. */
const stops = (how: string, areAll: boolean): readonly string[] =>
  areAll && how !== "slow" ? [everybody] : [];
const pathMs = (how: string, dice: Dice): number => (how === "reset" ? 0 : dice.whole(500, 6_000));

const redisPaths = (how: string): Draw => {
  return (dice, count) => {
    const all = Array.from({ length: count }, (_, daemon) => daemon);
    const daemons = dice.chance(0.4) ? all : [dice.pick(all)];
    const delayMs = dice.whole(20, 400);
    return {
      name: `tcp-redis ${how}`,
      forMs: pathMs(how, dice),
      claims: [...daemons.map((daemon) => `redis path ${daemon}`), ...stops(how, daemons.length > 1)],
      details: { daemons, delayMs },
      begin: toPaths(how, ({ redis }) => daemons.map((daemon) => redis.paths[daemon]!), "all", delayMs),
    };
  };
};

const servicePath = (how: string): Draw => {
  return (dice) => {
    const share = dice.pick(["all", "half"] as const);
    const delayMs = dice.whole(20, 1_200);
    return {
      name: `tcp-service ${how}`,
      forMs: pathMs(how, dice),
      claims: ["service path", ...stops(how, share === "all")],
      details: { share, delayMs },
      begin: toPaths(how, (stand) => [stand.servicePath], share, delayMs),
    };
  };
};

const serviceFault = (draw: (dice: Dice) => FaultDefinition): Draw => {
  return (dice) => {
    const fault = draw(dice);
    return {
      name: `emulator ${fault.kind}`,
      forMs: dice.whole(3_000, 12_000),
      claims: lyingAboutPositions.has(fault.kind) ? ["positions"] : [],
      details: fault,
      begin({ emulator: { faults }, letters }, books) {
        const arriving = [1, 2, 3].map(() => letters.make(Date.now()));
        const isArrival = fault.kind === "arriving-records";
        const name = faults.add(
          isArrival ? { ...fault, records: arriving.map(({ record }) => record) } : fault,
        );
        if (isArrival) books.arriveWith(name, arriving);
        return () => void faults.remove(name);
      },
    };
  };
};

const start = (daemon: DaemonProcess): void => daemon.start();
const kill = toDaemon("SIGKILL", (dice) => dice.whole(100, 4_000), [(one) => one.kill(), start]);
// Longer than the takeover of 17 s now and then.
const freezeMs = (dice: Dice): number =>
  dice.pick([dice.whole(200, 3_000), dice.whole(3_000, 12_000), dice.whole(18_000, 24_000)]);
const freeze = toDaemon("SIGSTOP", freezeMs, [(one) => one.freeze(), (one) => one.thaw()]);

/** The wall clock of the one daemon that has a clock of its own. It stays so after the end. */
const shiftClock: Draw = (dice) => {
  const offsetMs = 1_000 * dice.pick([-300, -60, -5, 5, 60, 300, 0]);
  return {
    name: "shift-clock",
    forMs: dice.whole(3_000, 15_000),
    claims: ["shift-clock"],
    details: { offsetMs },
    begin: ({ clock }) => clock?.shift(offsetMs),
  };
};

const receiverDown: Draw = (dice) => {
  const status = dice.pick([503, 500, 429]);
  return {
    name: "receiver-down",
    forMs: dice.whole(2_000, 8_000),
    claims: ["receiver-down"],
    details: { status },
    begin({ witness }) {
      witness.down = status;
      return () => void (witness.down = null);
    },
  };
};

const make = ({ letters }: Stand, count: number): readonly MadeLetter[] =>
  Array.from({ length: count }, () => letters.make(Date.now()));

/** Many dead letters at once. */
const burst: Draw = (dice) => {
  const count = dice.whole(110, 260);
  const begin: Act["begin"] = (stand, books) => books.born(make(stand, count));
  return { name: "burst", forMs: 0, claims: ["burst"], details: { count }, begin };
};

const times = (count: number, draw: Draw): readonly Draw[] => Array.from({ length: count }, () => draw);

/** One of each kind, and more of those that matter most. */
export const draws: readonly Draw[] = [
  ...times(4, kill),
  ...times(3, freeze),
  ...[shiftClock, receiverDown, burst].flatMap((draw) => times(2, draw)),
  toDaemon("SIGTERM", (dice) => dice.whole(3_000, 9_000), [(one) => one.terminate(), start]),
  ...(["SIGTERM", "SIGKILL"] as const).map((signal) =>
    toRedis(`redis-restart ${signal}`, [(server) => server.end(signal), (server) => server.restart()]),
  ),
  toRedis("redis-freeze", [(server) => server.pause(), (server) => server.resume()]),
  // Out of memory: refuses what writes.
  toRedis("redis-full", configure("maxmemory", "1mb", "0")),
  toRedis("redis-refuses-writes", configure("min-replicas-to-write", "3", "0")),
  () => ({
    name: "redis-flush",
    forMs: 0,
    claims: ["redis"],
    losesWrites: true,
    begin: ({ redis }, books) => redis.flush(() => books.losing(0)),
  }),
  // To a replica that has not got the last `lagMs` of writes.
  (dice) => {
    const lagMs = dice.whole(500, 6_000);
    return {
      name: "redis-failover",
      forMs: lagMs + 3_000,
      claims: ["redis", everybody],
      losesWrites: true,
      begin: ({ redis }, books) => redis.failOver(lagMs, books.losing),
    };
  },
  ...Object.keys(hows).flatMap((how) => [redisPaths(how), servicePath(how)]),
  ...Object.values(drawEmulatorFault).map(serviceFault),
  // Statuses are many: all classes of them are to be met.
  ...times(3, serviceFault(drawEmulatorFault.status)),
  // The Date of its answers.
  (dice) => {
    const offsetMs = dice.pick([-300_000, 300_000]);
    return {
      name: "service-clock",
      forMs: brief(dice),
      claims: ["service-clock"],
      details: { offsetMs },
      begin({ emulator: { faults } }) {
        const headers = { Date: new Date(Date.now() + offsetMs).toUTCString() };
        const name = faults.add({ kind: "headers", operation: "any", headers });
        return () => void faults.remove(name);
      },
    };
  },
  (dice) => {
    const operation = dice.pick(["list", "delete", "batch"]);
    const limit = dice.whole(1, 4);
    return {
      name: "service-rate-limit",
      forMs: brief(dice),
      claims: ["service-rate-limit", everybody],
      details: { operation, limit },
      begin({ emulator }) {
        emulator.adjust({ rateLimits: { [operation]: { limit, windowMs: 1_000 } } });
        return () => emulator.adjust({ rateLimits: {} });
      },
    };
  },
  (dice) => ({
    name: "listing-order",
    forMs: brief(dice),
    claims: ["listing-order"],
    begin: ({ emulator: { settings, adjust } }) =>
      adjust({ order: settings.order === "earliestFirst" ? "latestFirst" : "earliestFirst" }),
  }),
  // The old token is refused at once, and the file that the daemons read has the new one at the end.
  (dice) => ({
    name: "token-rotated",
    forMs: dice.whole(500, 4_000),
    claims: ["token-rotated"],
    begin({ emulator, secrets, tokenFile }) {
      const token = newSecret("token");
      secrets.add("token", token);
      emulator.setToken(token);
      return () => {
        // As a mounted Secret is replaced: a daemon that starts meanwhile reads the one or the other.
        writeFileSync(`${tokenFile}.new`, token);
        renameSync(`${tokenFile}.new`, tokenFile);
      };
    },
  }),
  // Refuses all items until the daemons give up on the source; those are started again at the end.
  (dice) => ({
    name: "refuse-everything",
    forMs: dice.whole(3_000, 6_000),
    claims: ["positions", everybody],
    begin(stand, books) {
      const name = stand.emulator.faults.add({ kind: "status", operation: "batch", status: 400 });
      // More than are refused in a row before the source is given up.
      books.born(make(stand, 40));
      return async () => {
        stand.emulator.faults.remove(name);
        // It pauses for ten minutes before it tries again; whoever has seen to the service starts it again.
        for (const daemon of books.gaveUp().map((index) => stand.daemons[index]!)) {
          await daemon.terminate();
          daemon.start();
        }
      };
    },
  }),
];
