import type { Asking } from "./capacity-request.ts";

/**
 * In which order the candidates of a page ask for capacity: what reconciles an earlier POST, then hosts in turn, and of each host what
 * expires first. So no host waits behind the many of another, and where there is not time for all, canaries or not, it is the
 * youngest that are left. Pure.
 */
export function inPublishOrder(asking: readonly Asking[]): readonly Asking[] {
  const hosts = new Map<string, Asking[]>();
  const reconciling: Asking[] = [];
  for (const one of asking) {
    const { host, post } = one.request;
    if (post === "again") reconciling.push(one);
    else hosts.set(host, [...(hosts.get(host) ?? []), one]);
  }
  // Of one source all have the same retention, so what entered first expires first.
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
