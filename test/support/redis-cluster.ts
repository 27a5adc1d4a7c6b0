import { setTimeout as delay } from "node:timers/promises";
import type { RedisServer } from "./redis-servers.ts";
import { waitFor } from "./wait-for.ts";

const slots = 16_384;

/** Makes one cluster of masters of these, with the slots shared out, as `redis-cli --cluster create` does. */
export async function formCluster(nodes: readonly RedisServer[]): Promise<void> {
  const [first] = nodes;
  if (first === undefined) throw new Error("a cluster has nodes");
  for (const [index, node] of nodes.entries()) {
    const from = Math.floor((index * slots) / nodes.length);
    const to = Math.floor(((index + 1) * slots) / nodes.length) - 1;
    await node.admin.call("CLUSTER", "ADDSLOTSRANGE", from, to);
    await node.admin.call("CLUSTER", "SET-CONFIG-EPOCH", index + 1);
  }
  for (const node of nodes.slice(1)) await first.admin.call("CLUSTER", "MEET", "127.0.0.1", node.port);
  for (const node of nodes) {
    await until(async () => {
      const info = String(await node.admin.call("CLUSTER", "INFO"));
      return info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${nodes.length}`);
    });
  }
}

/** Makes this server a replica of a master of the cluster; resolves when it has the master's data. */
export async function joinReplica(master: RedisServer, replica: RedisServer): Promise<void> {
  const id = String(await master.admin.call("CLUSTER", "MYID"));
  await replica.admin.call("CLUSTER", "MEET", "127.0.0.1", master.port);
  await until(async () => String(await replica.admin.call("CLUSTER", "NODES")).includes(id));
  await replica.admin.call("CLUSTER", "REPLICATE", id);
  await until(async () =>
    String(await replica.admin.call("INFO", "replication")).includes("master_link_status:up"),
  );
}

/** Which of these has the slot of a hash tag, as formCluster shares them out. */
export async function ownerOf(nodes: readonly RedisServer[], tag: string): Promise<RedisServer> {
  const [any] = nodes;
  const slot = Number(await any?.admin.call("CLUSTER", "KEYSLOT", tag));
  const owner = nodes[Math.min(nodes.length - 1, Math.floor((slot * nodes.length) / slots))];
  if (owner === undefined) throw new Error("a cluster has nodes");
  return owner;
}

/**
 * Moves the slot of a hash tag to another node, key by key, as a reshard does. Answers how many keys went. `halfWay` is
 * called when both nodes know of the move and all keys are where they were.
 */
export async function moveSlotOf(
  nodes: readonly RedisServer[],
  tag: string,
  halfWay?: (from: RedisServer, to: RedisServer) => Promise<void>,
): Promise<{ readonly keys: number }> {
  const [any] = nodes;
  const slot = Number(await any?.admin.call("CLUSTER", "KEYSLOT", tag));
  const ids = new Map<RedisServer, string>();
  for (const node of nodes) ids.set(node, String(await node.admin.call("CLUSTER", "MYID")));
  const from = await ownerOf(nodes, tag);
  const to = nodes.find((node) => node !== from);
  if (to === undefined) throw new Error("a slot moves between two nodes");
  await to.admin.call("CLUSTER", "SETSLOT", slot, "IMPORTING", String(ids.get(from)));
  await from.admin.call("CLUSTER", "SETSLOT", slot, "MIGRATING", String(ids.get(to)));
  await halfWay?.(from, to);
  let keys = 0;
  for (;;) {
    const some = (await from.admin.call("CLUSTER", "GETKEYSINSLOT", slot, 50)) as string[];
    if (some.length === 0) break;
    await from.admin.call("MIGRATE", "127.0.0.1", to.port, "", 0, 5_000, "KEYS", ...some);
    keys += some.length;
    // A reshard of a real ledger takes its time; workers meet the slot half moved.
    await delay(20);
  }
  for (const node of [to, from, ...nodes]) {
    await node.admin.call("CLUSTER", "SETSLOT", slot, "NODE", String(ids.get(to)));
  }
  return { keys };
}

const until = (holds: () => Promise<boolean>): Promise<void> =>
  waitFor(async () => {
    if (!(await holds())) throw new Error("the cluster does not come together");
  });
