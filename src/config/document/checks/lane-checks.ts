import { durationText } from "../../../rules/format-duration.ts";
import { toPathText } from "../../problem.ts";
import { builtIn } from "../effective.ts";
import { watch as watchSchema } from "../schema/lane-schema.ts";
import { asMap, type Raw, type Report } from "../schema/raw.ts";
import { layersOf, spanIn, writtenIn, type Layers, type WrittenSpan } from "./layers.ts";

const why = "a probe is watched to its end before the next one";

/**
 * A lane's probes are no closer than its watch. Reported where it was written last, so that a mistake in
 * `defaults` is reported once.
 */
export function checkLanes(document: Raw, report: Report): void {
  checkProbes(layersOf(document), report);
  for (const name of Object.keys(asMap(document["drains"]))) checkProbes(layersOf(document, name), report);
}

function checkProbes(layers: Layers, report: Report): void {
  const watch = spanIn(layers, ["lane", "watch"], builtIn.drain.lane.watch, watchSchema);
  const probeEvery = spanIn(layers, ["lane", "probeEvery"], builtIn.drain.lane.probeEvery);
  if (watch === null || probeEvery === null || probeEvery.ms >= watch.ms) return;
  const isOwn = (key: string): boolean => writtenIn(layers.slice(0, 1), ["lane", key]) !== null;
  const reportAt = (got: WrittenSpan, bound: string, limit: WrittenSpan, name: string): void => {
    const expected = `${bound} ${durationText(limit.ms)}`;
    const found = durationText(got.ms);
    const where = limit.path === null ? `${name} as it is built in` : toPathText(limit.path);
    report(got.path ?? [], "value", expected, { found, behind: `, ${where}, got ${found}; ${why}` });
  };
  if (isOwn("probeEvery")) reportAt(probeEvery, "at least", watch, "the watch");
  else if (isOwn("watch")) reportAt(watch, "at most", probeEvery, "probeEvery");
}
