import { durationText } from "../../../rules/format-duration.ts";
import { parseDuration } from "../../../rules/patterns/parse-durations.ts";
import type { Parsed } from "../../../rules/patterns/parsed.ts";
import { toPathText, type ValuePath } from "../../problem.ts";
import { builtIn } from "../describe/effective.ts";
import { parseWatch } from "../schema/lane-schema.ts";
import { asMap, type Raw, type Report } from "../schema/raw.ts";

const why = "a probe is watched to its end before the next one";

/** What `defaults` or a drain says of its lane. */
interface Layer {
  readonly lane: Raw;
  readonly path: ValuePath;
}

interface Said {
  readonly ms: number;
  /** Where it is said, for a person. */
  readonly where: string;
  /** Null: in a layer below. */
  readonly path: ValuePath | null;
}

/** A lane's probes are no closer than its watch. Told where it was said last, so that a mistake in `defaults` is told once. */
export function checkLanes(document: Raw, report: Report): void {
  const defaults: Layer = { lane: asMap(asMap(document["defaults"])["lane"]), path: ["defaults", "lane"] };
  checkProbes([defaults], report);
  for (const [name, drain] of Object.entries(asMap(document["drains"]))) {
    const own: Layer = { lane: asMap(asMap(drain)["lane"]), path: ["drains", name, "lane"] };
    checkProbes([own, defaults], report);
  }
}

/** `layers`: the last word first. */
function checkProbes(layers: readonly Layer[], report: Report): void {
  const watch = saidOf("watch", parseWatch, builtIn.lane.watchMs, layers);
  const probeEvery = saidOf("probeEvery", parseDuration, builtIn.lane.probeEveryMs, layers);
  if (watch === null || probeEvery === null || probeEvery.ms >= watch.ms) return;
  const tell = (path: ValuePath, bound: string, limit: Said, got: Said): void => {
    const expected = `${bound} ${durationText(limit.ms)}`;
    const found = durationText(got.ms);
    const message = `expected ${expected}, ${limit.where}, got ${found}; ${why}`;
    report(path, "value", { expected, found, message });
  };
  if (probeEvery.path !== null) tell(probeEvery.path, "at least", watch, probeEvery);
  else if (watch.path !== null) tell(watch.path, "at most", probeEvery, watch);
}

/** Null where what is said has a problem of its own. */
function saidOf(
  name: string,
  parse: (value: unknown) => Parsed<number>,
  builtInMs: number,
  layers: readonly Layer[],
): Said | null {
  const index = layers.findIndex(({ lane }) => lane[name] !== undefined);
  const layer = layers[index];
  if (layer === undefined) {
    const what = name === "watch" ? "the watch" : name;
    return { ms: builtInMs, where: `${what} as it is built in`, path: null };
  }
  const value = parse(layer.lane[name]);
  const path = [...layer.path, name];
  return value.ok ? { ms: value.value, where: toPathText(path), path: index === 0 ? path : null } : null;
}
