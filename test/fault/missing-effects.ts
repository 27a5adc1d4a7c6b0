import { effectNames, notReached } from "./effects.ts";

/**
 * What has to have been done by a job of this kind, and not only somewhere: where a crash finds another
 * state.
 */
const byJob: Readonly<Record<string, readonly string[]>> = {
  tick: ["passes.open", "queue.addWindows", "source.bind"],
  window: [
    "ledger.begin",
    "service.publish",
    "ledger.published",
    "service.remove",
    "ledger.gone",
    "archive.write",
    "laneBook.ask",
    "laneBook.sent",
    "laneBook.giveBack",
    "laneBook.recordComeBacks",
  ],
  sweep: [
    "laneBook.due",
    "laneBook.checked",
    "passes.listAgain",
    "ledger.begin",
    "service.publish",
    "ledger.published",
    "service.remove",
    "ledger.gone",
    "archive.write",
    "ledger.archived",
  ],
  census: ["archive.write", "copies.copied", "book.recordCensus"],
};

/**
 * Effects that no run came by, although nothing says why none should; and half-way points.
 * `passed` are names of failpoints, such as `window/ledger.begin:after`.
 */
export function missingEffects(passed: Iterable<string>): readonly string[] {
  const names = new Set(passed);
  const anywhere = new Set([...names].map((name) => name.slice(name.indexOf("/") + 1)));
  const everywhere = effectNames()
    .filter((effect) => notReached[effect] === undefined)
    .flatMap((effect) => [`${effect}:before`, `${effect}:after`]);
  const halfWay = [
    "service.publish:last-byte",
    "service.publish:in-flight",
    "service.remove:in-flight",
    "diskFile.write:half",
  ];
  return [
    ...[...everywhere, ...halfWay].filter((name) => !anywhere.has(name)),
    ...Object.entries(byJob).flatMap(([job, effects]) =>
      effects.flatMap((effect) => {
        const name = `${job}/${effect}`;
        return names.has(`${name}:before`) ? [] : [name];
      }),
    ),
  ];
}
