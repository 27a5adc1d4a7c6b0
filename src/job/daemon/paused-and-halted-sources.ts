import type { BuiltSource } from "../compose/build-source.ts";
import type { ReplicaRecord } from "../contracts/replicas.ts";
import { callClasses } from "../contracts/source-pauses.ts";

/** The sources that this process does not call now, and why. A halt comes before a pause. */
export function toSourcePauses(sources: Iterable<BuiltSource>): ReplicaRecord["resting"] {
  return [...sources].flatMap(({ runtime: { config, health } }): ReplicaRecord["resting"] => {
    const source = config.id;
    const all = [health.standing(), ...callClasses.map((callClass) => health.current(callClass))];
    const halt = all.find((one) => one.state === "halted");
    if (halt !== undefined) return [{ source, state: "halted", code: halt.code }];
    const isWaiting = all.some(({ state }) => state === "waiting");
    return isWaiting ? [{ source, state: "waiting", code: "service-resting" }] : [];
  });
}
