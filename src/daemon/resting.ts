import type { BuiltSource } from "../compose/build-source.ts";
import type { ReplicaRecord } from "../ports/replicas.ts";

type Resting = ReplicaRecord["resting"];

/** The sources that this process does not call now, and why. */
export function toResting(sources: Iterable<BuiltSource>): Resting {
  return [...sources].flatMap(({ runtime }): Resting => {
    const health = runtime.health.current();
    const source = runtime.config.id;
    switch (health.state) {
      case "usable":
        return [];
      case "waiting":
        return [{ source, state: health.state, code: "rate-limited" }];
      case "halted":
        return [{ source, state: health.state, code: health.code }];
    }
  });
}
