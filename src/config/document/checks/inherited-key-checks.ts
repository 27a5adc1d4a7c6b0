import { durationText } from "../../../job/rules/durations.ts";
import { toPathText, type ValuePath } from "../../problem.ts";
import { builtIn } from "../apply-defaults.ts";
import { misfitOfFlowControl } from "../schema/flow-control-schema.ts";
import { watch as watchSchema } from "../schema/lane-schema.ts";
import {
  copiesNothing,
  layersOf,
  spanIn,
  writtenIn,
  type Layers,
  type WrittenSpan,
} from "./find-written-key.ts";
import { asMap, type Raw } from "./raw-document.ts";
import type { Report } from "./report-problem.ts";

/** Each mistake is reported where it was written last, so one in `defaults` is reported once. */
export function checkLayers(document: Raw, report: Report): void {
  checkProbes(layersOf(document), report);
  for (const name of Object.keys(asMap(document["drains"]))) checkProbes(layersOf(document, name), report);
  checkFlowControls(document, report);
  checkCensuses(document, report);
}

function checkProbes(layers: Layers, report: Report): void {
  const watch = spanIn(layers, ["lane", "watch"], builtIn.drain.lane.watch, watchSchema);
  const probeEvery = spanIn(layers, ["lane", "probeEvery"], builtIn.drain.lane.probeEvery);
  if (watch === null || probeEvery === null || probeEvery.ms >= watch.ms) return;
  const isOwn = (key: string): boolean => writtenIn(layers.slice(0, 1), ["lane", key]) !== null;
  const reportAt = (got: WrittenSpan, bound: string, limit: WrittenSpan, name: string): void => {
    const where = limit.path === null ? `${name} as it is built in` : toPathText(limit.path);
    const message = `expected ${bound} ${durationText(limit.ms)}, ${where}, got ${durationText(got.ms)}`;
    report(got.path ?? [], "value", `${message}; a probe is watched to its end before the next one`);
  };
  if (isOwn("probeEvery")) reportAt(probeEvery, "at least", watch, "the watch");
  else if (isOwn("watch")) reportAt(watch, "at most", probeEvery, "probeEvery");
}

function checkFlowControls(document: Raw, report: Report): void {
  const below = asMap(document["defaults"])["flowControl"];
  const drains = Object.entries(asMap(document["drains"])).map(
    ([name, drain]) => [name, asMap(drain)["flowControl"]] as const,
  );
  const check = (written: unknown, path: ValuePath): void => {
    if (written === undefined || written === "none") return;
    const expected = misfitOfFlowControl({ ...asMap(below), ...asMap(written) });
    if (expected !== null) report(path, "value", `expected ${expected}`);
  };
  for (const [name, own] of drains) check(own, ["drains", name, "flowControl"]);
  const isInherited = drains.length === 0 || drains.some(([, own]) => own === undefined);
  if (isInherited) check(below, ["defaults", "flowControl"]);
}

/**
 * Only a census sees what nears its expiry, and one of two may be skipped: another replica takes one of half an
 * interval ago for young enough. So an interval is at most half of that time.
 */
function checkCensuses(document: Raw, report: Report): void {
  const why = "else records may expire between two censuses, unseen";
  const sources = asMap(document["sources"]);
  const [first] = Object.keys(sources);
  for (const name of Object.keys(sources)) {
    const path = ["sources", name, "census"];
    const interval = spanIn([{ keys: document, path: [] }], path, builtIn.source.census);
    const min = Object.entries(asMap(document["drains"]))
      .filter(([, drain]) => (asMap(drain)["source"] ?? first) === name)
      .flatMap(([drain]) => withinOf(layersOf(document, drain)) ?? [])
      .reduce((one, other) => (other.ms < one.ms ? other : one), ofNoDrain);
    if (interval === null || interval.ms <= min.ms / 2) continue;
    const census = durationText(interval.ms);
    const within = durationText(min.ms);
    if (interval.path === null && min.path !== null) {
      const expected = `expected at least ${durationText(interval.ms * 2)}, twice ${toPathText(path)}`;
      report(min.path, "value", `${expected} (${census}, built in), got ${within}; ${why}`);
    } else {
      const limit = min.path === null ? "beforeExpiry.within as it is built in" : toPathText(min.path);
      const expected = `expected at most ${durationText(Math.floor(min.ms / 2))}, half of ${limit}`;
      report(path, "value", `${expected} (${within}), got ${census}; ${why}`);
    }
  }
}

/** What no drain selects counts as near for as long as is built in. */
const ofNoDrain: WrittenSpan = { ms: builtIn.drain.beforeExpiry.within, path: null };

function withinOf(layers: Layers): WrittenSpan | null {
  if (copiesNothing(layers)) return null;
  const within = spanIn(layers, ["beforeExpiry", "within"], ofNoDrain.ms);
  return within === null || within.ms <= 0 ? null : within;
}
