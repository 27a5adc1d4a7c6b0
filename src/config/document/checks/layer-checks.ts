/** What spans and flow control mean whose keys stand in a drain, in `defaults`, or nowhere. */
import { durationText } from "../../../job/rules/durations.ts";
import { toPathText, type ValuePath } from "../../problem.ts";
import { builtIn, each } from "../in-effect.ts";
import { duration } from "../schema/building-blocks.ts";
import { misfitOfFlowControl } from "../schema/flow-control-schema.ts";
import { watch as watchSchema } from "../schema/lane-schema.ts";
import { asMap, mapsIn, valueAt, type Raw, type Report, type Warn } from "./raw-document.ts";

/** Where a key may be written, the last word first. No path: it is built in. */
type Layers = readonly { readonly keys: unknown; readonly path: ValuePath | null }[];

interface WrittenSpan {
  readonly ms: number;
  readonly path: ValuePath | null;
}

/** Each mistake is reported where it was written last, so one in `defaults` is reported once. */
export function checkLayers(document: Raw, report: Report, warn: Warn): void {
  const defaults = { keys: document["defaults"], path: ["defaults"] };
  const drains = mapsIn(document["drains"]).map(([name, keys]) => {
    const path = ["drains", name];
    return { keys, path, layers: [{ keys, path }, defaults, ofBuiltIn] };
  });
  for (const layers of [[defaults, ofBuiltIn], ...drains.map((drain) => drain.layers)])
    checkProbes(layers, report);

  const below = asMap(defaults.keys)["flowControl"];
  const isInherited = drains.length === 0 || drains.some(({ keys }) => keys["flowControl"] === undefined);
  for (const { keys, path } of drains) checkFlowControl(below, keys["flowControl"], path, report);
  if (isInherited) checkFlowControl(below, below, defaults.path, report);

  const names = Object.keys(asMap(document["sources"]));
  for (const name of names) {
    const ofSource = drains.filter(({ keys }) => (keys["source"] ?? names[0]) === name);
    const layers = ofSource.map((drain) => drain.layers);
    checkCensus(document, name, layers, report);
  }
  const seen = new Set<string>();
  for (const { keys, layers } of drains) {
    const retention = retentionOf(document, sourceNameOf(document, keys));
    if (retention !== null) checkRetention(retention, layers, seen, report, warn);
  }
}

const ofBuiltIn = { keys: builtIn.drains[each], path: null };

function spanOfSource(document: Raw, source: string, key: "census" | "retention"): WrittenSpan | null {
  const keys = asMap(document["sources"])[source];
  const layers = [
    { keys, path: ["sources", source] },
    { keys: builtIn.sources[each], path: null },
  ];
  return spanIn(layers, [key]);
}

export function sourceNameOf(document: Raw, drain: Raw): string | null {
  const [first, ...others] = Object.keys(asMap(document["sources"]));
  const name = drain["source"] ?? (others.length === 0 ? first : undefined);
  return typeof name === "string" && [first, ...others].includes(name) ? name : null;
}

function writtenIn(layers: Layers, way: ValuePath): { value: unknown; path: ValuePath | null } {
  for (const { keys, path } of layers) {
    const value = valueAt(keys, way);
    if (value !== undefined) return { value, path: path && [...path, ...way] };
  }
  return { value: undefined, path: null };
}

/** The last word on a span; null if that has a problem of its own. */
function spanIn(layers: Layers, way: ValuePath, schema = duration): WrittenSpan | null {
  const { value, path } = writtenIn(layers, way);
  const { success, data } = schema.safeParse(value);
  return success ? { ms: data, path } : null;
}

function checkProbes(layers: Layers, report: Report): void {
  const watch = spanIn(layers, ["lane", "watch"], watchSchema);
  const probeEvery = spanIn(layers, ["lane", "probeEvery"]);
  if (watch === null || probeEvery === null || probeEvery.ms >= watch.ms) return;
  const isOwn = ({ path }: WrittenSpan): boolean => path?.[0] === layers[0]?.path?.[0];
  const reportAt = (got: WrittenSpan, bound: string, limit: WrittenSpan, name: string): void => {
    const where = limit.path === null ? `${name} as it is built in` : toPathText(limit.path);
    const message = `expected ${bound} ${durationText(limit.ms)}, ${where}, got ${durationText(got.ms)}`;
    report(got.path ?? [], "value", `${message}; a probe is watched to its end before the next one`);
  };
  if (isOwn(probeEvery)) reportAt(probeEvery, "at least", watch, "the watch");
  else if (isOwn(watch)) reportAt(watch, "at most", probeEvery, "probeEvery");
}

function checkFlowControl(below: unknown, written: unknown, path: ValuePath, report: Report): void {
  if (written === undefined || written === "none") return;
  const expected = misfitOfFlowControl({ ...asMap(below), ...asMap(written) });
  if (expected !== null) report([...path, "flowControl"], "value", `expected ${expected}`);
}

/**
 * Only a census sees what nears its expiry, and one of two may be skipped: another replica takes one of half an
 * interval ago for young enough. So an interval is at most half of that time.
 */
function checkCensus(document: Raw, source: string, drains: readonly Layers[], report: Report): void {
  const path = ["sources", source, "census"];
  const interval = spanOfSource(document, source, "census");
  // What no drain selects counts as near for as long as is built in.
  const [min] = [[ofBuiltIn], ...drains]
    .flatMap((layers) => withinOf(layers) ?? [])
    .toSorted((one, other) => one.ms - other.ms);
  if (interval === null || min === undefined || interval.ms <= min.ms / 2) return;
  const why = "else records may expire between two censuses, unseen";
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

/** Null if nothing is copied. */
function withinOf(layers: Layers): WrittenSpan | null {
  if (writtenIn(layers, ["beforeExpiry", "then"]).value === "nothing") return null;
  const within = spanIn(layers, ["beforeExpiry", "within"]);
  return within === null || within.ms <= 0 ? null : within;
}

interface Retention {
  readonly ms: number;
  readonly where: string;
  readonly path: ValuePath;
}

function retentionOf(document: Raw, source: string | null): Retention | null {
  if (source === null) return null;
  const path = ["sources", source, "retention"];
  const span = spanOfSource(document, source, "retention");
  if (span === null || span.ms <= 0) return null;
  return { ms: span.ms, path, where: `${toPathText(path)}${span.path === null ? " as it is built in" : ""}` };
}

/** A wait as long as the retention never ends. `seen`: where one was reported, be it by another drain. */
function checkRetention(
  retention: Retention,
  layers: Layers,
  seen: Set<string>,
  report: Report,
  warn: Warn,
): void {
  const refuse: Warn = (path, message) => report(path, "value", message);
  const check = (say: Warn, span: WrittenSpan | null, then: string): void => {
    const key = JSON.stringify(span?.path ?? retention.path);
    if (span === null || span.ms < retention.ms || seen.has(key)) return;
    seen.add(key);
    const { ms, path } = span;
    const expected =
      path === null
        ? `more than minAge as it is built in (${durationText(ms)})`
        : `less than ${durationText(retention.ms)}, ${retention.where}`;
    const found = durationText(path === null ? retention.ms : ms);
    say(path ?? retention.path, `expected ${expected}, got ${found}; else ${then}`);
  };
  check(refuse, spanIn(layers, ["minAge"]), "no record is ever published or dropped");
  for (const wait of waitsOf(layers)) check(refuse, wait, "that redrive is never made");
  const { cron, every } = asMap(asMap(layers[0]?.keys)["schedule"]);
  if (cron === undefined || every !== undefined) {
    const then = "records expire between two passes, unseen by the drain";
    check(refuse, written(spanIn(layers, ["schedule", "every"])), then);
  }
  const full = "what passes between two full ones do not look at again expires before the next";
  check(warn, written(spanIn(layers, ["schedule", "full"])), full);
  check(warn, written(withinOf(layers)), "every record is near its expiry as soon as it is seen");
}

/** Only what somebody wrote: what is built in is shorter than any retention, or meant for a short one. */
function written(span: WrittenSpan | null): WrittenSpan | null {
  return span?.path === null ? null : span;
}

function waitsOf(layers: Layers): readonly WrittenSpan[] {
  const { value, path } = writtenIn(layers, ["attempts", "wait"]);
  if (path === null) return [];
  return [value].flat().flatMap((wait: unknown, index) => {
    const { success, data } = duration.safeParse(wait);
    return success ? [{ ms: data, path: Array.isArray(value) ? [...path, index] : path }] : [];
  });
}
