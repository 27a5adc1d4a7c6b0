import { parseEdge, resolveEdge } from "../../../job/rules/patterns/parse-dates.ts";
import { oneOfText, quoted, unknownName, type Problem } from "../../problem.ts";
import { parseServiceUrl } from "../../service-and-callback-urls.ts";
import type { YamlTree } from "../../text/yaml-tree.ts";
import { findWarnings } from "./drain-warnings.ts";
import { checkLayers, sourceNameOf } from "./layer-checks.ts";
import { toLintView } from "./lint-view.ts";
import { checkNotify } from "./notify-checks.ts";
import { asList, asMap, below, mapsIn, type Raw, type Report, type Warn } from "./raw-document.ts";
import { checkGuards, checkRules, checkRuleTests } from "./rule-checks.ts";
import { checkWhens } from "./when-checks.ts";

/**
 * Checks the document as it was written, so that all problems are reported at once. A value of a wrong shape has its
 * own problem and is passed over. Without `now` (Unix ms) no date is judged.
 */
export function checkTogether(tree: YamlTree, now: number | undefined) {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const report: Report = (path, part, message) => problems.push(tree.problemAt(path, part, message));
  const warn: Warn = (path, message) => warnings.push(tree.problemAt(path, "key", message));
  const document = asMap(tree.value);
  const sources = asMap(document["sources"]);
  const defaults = asMap(document["defaults"]);
  checkSourceIdentities(document["sources"], below(report, "sources"));
  checkLayers(document, report, warn);
  const schedule = asMap(defaults["schedule"]);
  checkSchedule([], schedule, below(report, "defaults", "schedule"));
  for (const [name, drain] of mapsIn(document["drains"])) {
    const at = below(report, "drains", name);
    if (name === "none") at([], "key", "expected another name: none stands for no drain");
    checkSourceOf(drain, Object.keys(sources), at);
    checkSchedule([schedule], asMap(drain["schedule"]), below(at, "schedule"));
    const rules = asList(drain["rules"]);
    const mayDrop = document["archive"] !== undefined || (drain["mode"] ?? defaults["mode"]) !== "live";
    const source = sourceNameOf(document, drain);
    const mayRetry = source === null || asMap(sources[source])["serviceRetry"] === true;
    checkRules(rules, { mayDrop, withoutRetry: mayRetry ? null : source }, below(at, "rules"));
    checkRuleTests(asList(drain["tests"]), rules, below(at, "tests"));
    checkGuards(asList(drain["guards"]), Object.keys(asMap(document["indexes"])), below(at, "guards"));
    checkDates(asMap(drain["select"]), below(at, "select"));
  }
  for (const [name, index] of mapsIn(document["indexes"])) {
    checkSchedule([], asMap(index["schedule"]), below(report, "indexes", name, "schedule"));
  }
  checkNotify(document, report, warn);
  const view = toLintView(document);
  for (const drain of view.drains) checkWhens(drain, { places: view.places, document }, { report, warn });
  findWarnings(view, document, now, warn);
  return { problems, warnings };
}

/** Two sources with one id would share a ledger; one account under two ids would have two. */
function checkSourceIdentities(sources: unknown, report: Report): void {
  const nameById = new Map<string, string>();
  const nameByAccount = new Map<string, string>();
  for (const [name, source] of mapsIn(sources)) {
    const id = typeof source["id"] === "string" ? source["id"] : name;
    const sameId = nameById.get(id);
    if (sameId === undefined) nameById.set(id, name);
    else report([name, "id"], "value", `expected another id than source ${sameId}, got ${quoted(id)}`);
    const url = parseServiceUrl(source["url"]);
    const account = JSON.stringify([url.ok ? url.value : source["url"], source["token"]]);
    const twin = nameByAccount.get(account);
    if (twin === undefined) nameByAccount.set(account, name);
    else
      report([name], "key", `expected another url or token than source ${twin}: one account is one source`);
  }
}

function checkSourceOf(drain: Raw, known: readonly string[], report: Report): void {
  const source = drain["source"];
  if (source === undefined && known.length > 1) {
    report([], "key", `missing source; expected a source, ${oneOfText(known)}`);
  } else if (typeof source === "string" && known.length > 0 && !known.includes(source)) {
    report(["source"], "value", unknownName("source", source, known));
  }
}

/** Only what does not depend on when a pass begins can be compared. */
function checkDates(select: Raw, report: Report): void {
  const from = parseEdge(select["fromDate"], "from");
  const to = parseEdge(select["toDate"], "to");
  if (!from.ok || !to.ok || from.value.kind !== to.value.kind) return;
  // Seen from any one moment; both are fixed, or both are so long ago.
  if (resolveEdge(from.value, 0) <= resolveEdge(to.value, 0)) return;
  report(["toDate"], "value", "expected a toDate that is not before fromDate");
}

/** `layers` lie below: a timezone alone is for the cron pattern of a layer below. */
function checkSchedule(layers: readonly Raw[], { every, cron, timezone }: Raw, report: Report): void {
  if (every !== undefined && cron !== undefined) {
    report(["cron"], "key", "expected either every or cron, got both");
  } else if (timezone !== undefined && cron === undefined) {
    const isAbove = layers.some((layer) => layer["cron"] !== undefined);
    if (every !== undefined || !isAbove)
      report(["timezone"], "key", "expected a cron pattern beside timezone");
  }
}
