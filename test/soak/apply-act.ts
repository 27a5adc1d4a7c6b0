import { renameSync, writeFileSync } from "node:fs";
import type { Act, TcpHow } from "./acts.ts";
import type { MadeLetter } from "./letters.ts";
import { newSecret, type Stand } from "./stand.ts";
import { waitUntil } from "../rig/wait.ts";

/** What an act does to the soak's own books. */
export interface Books {
  /**
   * These are in the queue from now on; `arrivals` when the emulator says that the fault of this name has
   * fired.
   */
  born(letters: readonly MadeLetter[]): void;
  arriveWith(faultName: string, letters: readonly MadeLetter[]): void;
  /** What was acknowledged from `from` (Unix ms) until now is about to be lost. */
  losing(from: number): Promise<void>;
  /** Daemons that gave up on the source because it refused everything. */
  gaveUp(): readonly number[];
}

/** Takes an act back. */
export type Undo = () => Promise<void> | void;

const nothing: Undo = () => undefined;

/** Does it, and answers how it is taken back. */
export async function applyAct(act: Act, stand: Stand, books: Books): Promise<Undo> {
  const { emulator, redis, witness } = stand;
  switch (act.kind) {
    case "kill":
    case "terminate": {
      const daemon = stand.daemons[act.daemon]!;
      if (act.kind === "kill") await daemon.kill();
      else await daemon.terminate();
      return () => daemon.start();
    }
    case "freeze": {
      const daemon = stand.daemons[act.daemon]!;
      daemon.freeze();
      return () => daemon.thaw();
    }
    case "shift-clock":
      stand.clock?.shift(act.offsetMs);
      return nothing;
    case "redis-restart": {
      const server = redis.primary();
      await server.end(act.signal);
      return () => server.restart();
    }
    case "redis-freeze": {
      const server = redis.primary();
      server.pause();
      return () => server.resume();
    }
    case "redis-full":
      return setRedis(stand, "maxmemory", "1mb", "0");
    case "redis-refuses-writes":
      return setRedis(stand, "min-replicas-to-write", "3", "0");
    case "redis-flush":
      await redis.flush(() => books.losing(0));
      return nothing;
    case "redis-failover":
      await redis.failOver(act.lagMs, books.losing);
      return nothing;
    case "tcp-redis": {
      const paths = act.daemons.map((daemon) => redis.paths[daemon]!);
      await Promise.all(paths.map((path) => disturb(path, act)));
      return async () => void (await Promise.all(paths.map(heal)));
    }
    case "tcp-service":
      await disturb(stand.servicePath, act);
      return () => heal(stand.servicePath);
    case "emulator": {
      if (act.fault.kind !== "arriving-records") {
        const name = emulator.faults.add(act.fault);
        return () => void emulator.faults.remove(name);
      }
      const arriving = [1, 2, 3].map(() => stand.letters.make(Date.now()));
      const name = emulator.faults.add({ ...act.fault, records: arriving.map(({ record }) => record) });
      books.arriveWith(name, arriving);
      return () => void emulator.faults.remove(name);
    }
    case "service-clock": {
      const headers = { Date: new Date(Date.now() + act.offsetMs).toUTCString() };
      const name = emulator.faults.add({ kind: "headers", operation: "any", headers });
      return () => void emulator.faults.remove(name);
    }
    case "service-rate-limit":
      emulator.adjust({ rateLimits: { [act.operation]: { limit: act.perS, windowMs: 1_000 } } });
      return () => emulator.adjust({ rateLimits: {} });
    case "listing-order": {
      const { order } = emulator.settings;
      emulator.adjust({ order: order === "earliestFirst" ? "latestFirst" : "earliestFirst" });
      return nothing;
    }
    case "token-rotated": {
      const token = newSecret("token");
      stand.secrets.add("token", token);
      emulator.setToken(token);
      return () => {
        // As a mounted Secret is replaced: a daemon that starts meanwhile reads the one or the other.
        writeFileSync(`${stand.tokenFile}.new`, token);
        renameSync(`${stand.tokenFile}.new`, stand.tokenFile);
      };
    }
    case "refuse-everything": {
      const name = emulator.faults.add({ kind: "status", operation: "batch", status: 400 });
      // More than are refused in a row before the source is given up.
      books.born(Array.from({ length: 40 }, () => stand.letters.make(Date.now())));
      return async () => {
        emulator.faults.remove(name);
        // It pauses for ten minutes before it tries again; whoever has seen to the service starts it again.
        await Promise.all(
          books.gaveUp().map(async (index) => {
            await stand.daemons[index]!.terminate();
            stand.daemons[index]!.start();
          }),
        );
      };
    }
    case "receiver-down":
      witness.down = act.status;
      return () => {
        witness.down = null;
      };
    case "burst":
      books.born(Array.from({ length: act.count }, () => stand.letters.make(Date.now())));
      return nothing;
  }
}

async function setRedis(stand: Stand, name: string, value: string, usual: string): Promise<Undo> {
  const { connection } = stand.redis.primary();
  await connection.command("CONFIG", "SET", name, value);
  return async () => void (await connection.command("CONFIG", "SET", name, usual));
}

/** While a path is cut another program may be lent its port, for a connection as a rule. */
function heal(path: Stand["servicePath"]): Promise<void> {
  const isHealed = (): Promise<boolean> =>
    path.heal().then(
      () => true,
      () => false,
    );
  return waitUntil("the port of a path that was cut", isHealed, 30_000);
}

async function disturb(
  path: Stand["servicePath"],
  {
    how,
    delayMs,
    share = "all",
  }: { readonly how: TcpHow; readonly delayMs: number; readonly share?: "all" | "half" },
): Promise<void> {
  switch (how) {
    case "cut":
      return path.cut();
    case "reset":
      return path.reset(share);
    case "stall":
      return path.stall(share);
    case "half-open":
      return path.swallow(share);
    case "slow":
      return path.slow(delayMs, share);
  }
}
