import { durationText } from "../../../rules/format-duration.ts";
import { toPathText } from "../../problem.ts";
import { builtIn } from "../effective.ts";
import { asMap, type Raw, type Report } from "../schema/raw.ts";
import { layersOf, spanIn, type WrittenSpan } from "./layers.ts";
import { copiesNothing } from "./retention-checks.ts";

const why = "else records may expire between two censuses, unseen";

/** What no drain selects counts as near for as long as is built in. */
const ofNoDrain: WrittenSpan = { ms: builtIn.drain.beforeExpiry.within, path: null };

/**
 * A record near its expiry is seen by a census; passes in between look at what is new. One of two censuses in
 * that time may be skipped: another replica takes a census of half an interval ago for young enough. So an
 * interval is at most half of that time.
 */
export function checkCensuses(document: Raw, report: Report): void {
  const sources = asMap(document["sources"]);
  const [first] = Object.keys(sources);
  for (const name of Object.keys(sources)) {
    const path = ["sources", name, "census"];
    const interval = spanIn([{ keys: document, path: [] }], path, builtIn.source.census);
    const min = Object.entries(asMap(document["drains"]))
      .filter(([, drain]) => (asMap(drain)["source"] ?? first) === name)
      .flatMap(([drain]) => withinOf(document, drain) ?? [])
      .reduce((one, other) => (other.ms < one.ms ? other : one), ofNoDrain);
    if (interval === null || interval.ms <= min.ms / 2) continue;
    const census = durationText(interval.ms);
    const within = durationText(min.ms);
    if (interval.path === null && min.path !== null) {
      const expected = `at least ${durationText(interval.ms * 2)}`;
      const behind = `, twice ${toPathText(path)} (${census}, built in), got ${within}; ${why}`;
      report(min.path, "value", expected, { found: within, behind });
    } else {
      const expected = `at most ${durationText(Math.floor(min.ms / 2))}`;
      const limit = min.path === null ? "beforeExpiry.within as it is built in" : toPathText(min.path);
      const behind = `, half of ${limit} (${within}), got ${census}; ${why}`;
      report(path, "value", expected, { found: census, behind });
    }
  }
}

/** Null if copies are not wanted, or the span has another problem. */
function withinOf(document: Raw, drain: string): WrittenSpan | null {
  const layers = layersOf(document, drain);
  if (copiesNothing(layers)) return null;
  const within = spanIn(layers, ["beforeExpiry", "within"], builtIn.drain.beforeExpiry.within);
  return within === null || within.ms <= 0 ? null : within;
}
