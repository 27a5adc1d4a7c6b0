import type { Asking } from "./capacity-request.ts";

/**
 * Orders the candidates of a page for capacity. First those that reconcile an earlier POST, then one host after the other in
 * turn, and within a host the earliest expiry first. So no host waits behind the backlog of another, and if time runs out, the
 * youngest are left. Pure.
 */
export function inPublishOrder(asking: readonly Asking[]): readonly Asking[] {
  const hosts = new Map<string, Asking[]>();
  const reconciling: Asking[] = [];
  for (const one of asking) {
    const { host, post } = one.request;
    if (post === "again") reconciling.push(one);
    else hosts.set(host, [...(hosts.get(host) ?? []), one]);
  }
  // All records of a source have the same retention, so the first that entered is the first that expires.
  const queues = [...hosts.values()].map((queue) =>
    queue.toSorted((one, other) => one.candidate.letter.enteredAt - other.candidate.letter.enteredAt),
  );
  const rounds = Math.max(0, ...queues.map(({ length }) => length));
  return [
    ...reconciling,
    ...Array.from({ length: rounds }, (_, round) =>
      queues.flatMap((queue) => queue.slice(round, round + 1)),
    ).flat(),
  ];
}
