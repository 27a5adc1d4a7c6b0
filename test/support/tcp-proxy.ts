/**
 * A TCP path between a client and a server that can misbehave as networks do. Bytes never arrive changed or
 * with a hole: a connection that lost one stays silent for ever, also after healing, which is what half-open
 * means.
 */
import { once } from "node:events";
import net from "node:net";

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Which connections are meant, old and new ones. */
export type Share = "all" | "half";

/** A TCP path that can be cut, stalled, slowed and black-holed. Port 0 at first, the same port ever after. */
export type TcpProxy = Awaited<ReturnType<typeof createTcpProxy>>;

type Mode =
  | { readonly kind: "open" | "stalled" | "swallowing" }
  | { readonly kind: "slow"; readonly delayMs: number };

/** One connection. `isDead`: it lost a byte. */
interface Link {
  readonly number: number;
  readonly sockets: readonly [net.Socket, net.Socket];
  isDead: boolean;
}

const open: Mode = { kind: "open" };

export async function createTcpProxy(first: Target) {
  const links = new Set<Link>();
  let target = first;
  let mode: Mode = open;
  let share: Share = "all";
  let made = 0;

  const concerns = (link: Link, whom: Share): boolean => whom === "all" || link.number % 2 === 1;
  const modeOf = (link: Link): Mode => (concerns(link, share) ? mode : open);

  const server = net.createServer((near) => {
    const far = net.connect(target.port, target.host);
    const link: Link = { number: (made += 1), sockets: [near, far], isDead: false };
    links.add(link);
    const forget = (): void => {
      links.delete(link);
    };
    pass(near, far, link, modeOf, forget);
    pass(far, near, link, modeOf, forget);
    if (modeOf(link).kind === "stalled") for (const socket of link.sockets) socket.pause();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;

  const reset = (whom: Share = "all"): void => {
    for (const link of links) {
      if (concerns(link, whom)) for (const socket of link.sockets) socket.resetAndDestroy();
    }
  };
  const cut = async (): Promise<void> => {
    reset();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  };
  const enter = (next: Mode, whom: Share): void => {
    mode = next;
    share = whom;
    for (const link of links) {
      const isStalled = modeOf(link).kind === "stalled";
      for (const socket of link.sockets) {
        if (isStalled) socket.pause();
        else socket.resume();
      }
    }
  };
  return {
    port,
    /** Resets all connections and refuses new ones. */
    cut,
    /** Resets connections once; new ones are taken. */
    reset,
    /** Passes nothing on; what is under way arrives when it is healed, if both ends are still there. */
    stall: (whom: Share = "all"): void => enter({ kind: "stalled" }, whom),
    /** Keeps connections and passes nothing on: what is sent from now on is lost. */
    swallow: (whom: Share = "all"): void => enter({ kind: "swallowing" }, whom),
    /** Everything arrives so much later, in its order. */
    slow: (delayMs: number, whom: Share = "all"): void => enter({ kind: "slow", delayMs }, whom),
    async heal(): Promise<void> {
      enter(open, "all");
      if (server.listening) return;
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    /** Where connections lead that are made from now on. */
    retarget(next: Target): void {
      target = next;
    },
    close: cut,
  };
}

/** One direction. What is late waits in a line, and the end of the connection waits in it too. */
function pass(
  from: net.Socket,
  to: net.Socket,
  link: Link,
  modeOf: (link: Link) => Mode,
  forget: () => void,
): void {
  const line: { readonly due: number; readonly act: () => void }[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    for (let head = line[0]; head !== undefined; head = line[0]) {
      const waitMs = head.due - performance.now();
      if (waitMs > 0) {
        timer = setTimeout(flush, waitMs);
        return;
      }
      line.shift();
      head.act();
    }
  };
  const later = (act: () => void, delayMs: number): void => {
    if (delayMs === 0 && line.length === 0) return act();
    line.push({ due: Math.max(line.at(-1)?.due ?? 0, performance.now() + delayMs), act });
    timer ??= setTimeout(flush, delayMs);
  };

  from.on("data", (data) => {
    const mode = modeOf(link);
    if (mode.kind === "swallowing") link.isDead = true;
    if (link.isDead) return;
    later(() => to.write(data), mode.kind === "slow" ? mode.delayMs : 0);
  });
  from.on("error", () => undefined);
  from.on("close", (hadError) => {
    forget();
    if (!hadError) return later(() => to.destroy(), 0);
    clearTimeout(timer);
    to.destroy();
  });
}
