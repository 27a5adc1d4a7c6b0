import type { LedgerStamp } from "../contracts/ledger.ts";
import type { SourceRuntime } from "../runtime.ts";
import type { Core } from "./build-core.ts";

/** To list and decide without Redis: what it has is empty, and an act fails with `redis-unavailable`. */
export function withoutLedger(core: Core): Core {
  const sources = new Map(
    [...core.sources].map(([id, built]) => [
      id,
      { ...built, runtime: toEmpty(built.runtime), pauses: { ...built.pauses, all: none } },
    ]),
  );
  const drains = new Map(
    [...core.drains].map(([name, drain]) => {
      const source = sources.get(drain.source.config.id)?.runtime ?? drain.source;
      return [name, { ...drain, source }];
    }),
  );
  return { ...core, sources, drains, ledger: "none" };
}

const none = () => Promise.resolve([]);

function toEmpty(source: SourceRuntime): SourceRuntime {
  const { clock, ledger, lanes, guards, capacity, passes, failures } = source;
  const stamp = (): LedgerStamp => ({ epoch: "", sequence: 0, at: clock.now() });
  return {
    ...source,
    readAt: () => Promise.resolve(clock.now()),
    ledger: {
      ...ledger,
      peek: (ids) => Promise.resolve({ ...stamp(), views: ids.map(() => ({ state: "absent" }) as const) }),
    },
    lanes: { ...lanes, ask: () => Promise.resolve({ answers: [], at: clock.now() }), viewsOf: none },
    guards: { ...guards, peek: none },
    capacity: {
      ...capacity,
      used: () => Promise.resolve({ day: 0, pass: 0, dayEndsAt: clock.now(), at: clock.now() }),
    },
    passes: { ...passes, facts: () => Promise.resolve(null) },
    failures: { ...failures, all: none },
  };
}
