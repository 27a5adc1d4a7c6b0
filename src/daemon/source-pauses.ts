import type { BuiltSource } from "../compose/build-source.ts";
import type { ReplicaRecord } from "../ports/replicas.ts";
import { callClasses } from "../ports/source-pauses.ts";

type Resting = ReplicaRecord["resting"];

/** The sources that this process does not call now, and why. */
export function toSourcePauses(sources: Iterable<BuiltSource>): Resting {
  return [...sources].flatMap(({ runtime }): Resting => {
    const { health: of } = runtime;
    const standings = [of.standing(), ...callClasses.map((callClass) => of.current(callClass))];
    const health =
      standings.find(({ state }) => state === "halted") ?? standings.find(({ state }) => state === "waiting");
    const source = runtime.config.id;
    if (health === undefined) return [];
    switch (health.state) {
      case "usable":
        return [];
      case "waiting":
        return [{ source, state: health.state, code: "service-resting" }];
      case "halted":
        return [{ source, state: health.state, code: health.code }];
    }
  });
}
