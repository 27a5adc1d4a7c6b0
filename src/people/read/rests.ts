import type { ReplicaRecord } from "../../job/contracts/replicas.ts";

/** What replicas last told of a service that they cannot work with. Null: it answers each of them. */
export function toRest(replicas: readonly Pick<ReplicaRecord, "resting">[], source: string) {
  const told = replicas.flatMap(({ resting }) => resting.filter((one) => one.source === source));
  const halts = told.filter(({ state }) => state === "halted");
  const rest = halts[0] ?? told.find(({ code }) => code === "service-unavailable");
  if (rest === undefined) return null;
  const times = told.flatMap(({ code, since }) => (code === rest.code ? (since ?? []) : []));
  return {
    code: rest.code,
    /** Unix ms; null: not told. */
    since: times.length === 0 ? null : Math.min(...times),
    /** Replicas. Each halts by itself; that a service does not answer binds all. */
    halted: halts.length,
    isOfAll: halts.length === 0 || halts.length === replicas.length,
  };
}
