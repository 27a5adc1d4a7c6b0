import { durationText } from "../../../rules/format-duration.ts";
import { parseDuration } from "../../../rules/patterns/parse-durations.ts";
import { toPathText, type ValuePath } from "../../problem.ts";
import { builtIn } from "../describe/effective.ts";
import { asMap, type Raw, type Report } from "../schema/raw.ts";

const why = "else records may expire between two censuses, unseen";

interface Within {
  readonly ms: number;
  /** Null: said nowhere. */
  readonly path: ValuePath | null;
}

/** What no drain selects counts as near for as long as is built in. */
const ofNoDrain: Within = { ms: builtIn.beforeExpiry.withinMs, path: null };

/**
 * A record that nears its expiry is seen by a census, and passes in between look at what is new. Of two censuses in that time one may be
 * skipped (a census of half an interval ago is young enough for another replica), so an interval is at most half of it.
 */
export function checkCensuses(document: Raw, report: Report): void {
  const sources = asMap(document["sources"]);
  const [first] = Object.keys(sources);
  const defaults = asMap(document["defaults"]);
  for (const [name, value] of Object.entries(sources)) {
    const path = ["sources", name, "census"];
    const said = asMap(value)["census"];
    const censusMs = said === undefined ? builtIn.sourceCensusEveryMs : toMs(said);
    const least = Object.entries(asMap(document["drains"]))
      .filter(([, drain]) => (asMap(drain)["source"] ?? first) === name)
      .flatMap(([drain, keys]) => withinOf(asMap(keys), defaults, ["drains", drain]) ?? [])
      .reduce((one, other) => (other.ms < one.ms ? other : one), ofNoDrain);
    if (censusMs === null || censusMs <= least.ms / 2) continue;
    const census = durationText(censusMs);
    const within = durationText(least.ms);
    if (said === undefined && least.path !== null) {
      const expected = `at least ${durationText(censusMs * 2)}`;
      const message = `expected ${expected}, twice ${toPathText(path)} (${census}, built in), got ${within}; ${why}`;
      report(least.path, "value", { expected, found: within, message });
    } else {
      const expected = `at most ${durationText(Math.floor(least.ms / 2))}`;
      const limit = least.path === null ? "beforeExpiry.within as it is built in" : toPathText(least.path);
      const message = `expected ${expected}, half of ${limit} (${within}), got ${census}; ${why}`;
      report(path, "value", { expected, found: census, message });
    }
  }
}

/** Null where copies are not wanted, or what is said has another problem. */
function withinOf(drain: Raw, defaults: Raw, path: ValuePath): Within | null {
  const [own, below] = [asMap(drain["beforeExpiry"]), asMap(defaults["beforeExpiry"])];
  if ((own["then"] ?? below["then"]) === "nothing") return null;
  const isOwn = own["within"] !== undefined;
  const said = own["within"] ?? below["within"];
  if (said === undefined) return ofNoDrain;
  const ms = toMs(said);
  return ms === null || ms <= 0
    ? null
    : { ms, path: [...(isOwn ? path : ["defaults"]), "beforeExpiry", "within"] };
}

function toMs(value: unknown): number | null {
  const parsed = parseDuration(value);
  return parsed.ok ? parsed.value : null;
}
