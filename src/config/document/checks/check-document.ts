import { parseEdge, resolveEdge } from "../../../job/rules/patterns/parse-dates.ts";
import { oneOfText, quoted, unknownName, type Problem, type ValuePath } from "../../problem.ts";
import { parseServiceUrl } from "../../service-and-callback-urls.ts";
import type { YamlTree } from "../../text/yaml-tree.ts";
import { findWarnings } from "./drain-warnings.ts";
import { checkLayers, sourceNameOf } from "./layer-checks.ts";
import { toLintView } from "./lint-view.ts";
import { checkNotify } from "./notify-checks.ts";
import { asList, asMap, mapsIn, type Raw, type Report, type Warn } from "./raw-document.ts";
import { checkGuards, checkRules, checkRuleTests } from "./rule-checks.ts";
import { checkWhens } from "./when-checks.ts";

export interface Findings {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * Checks the document as it was written, so that all problems are reported at once. A value of a wrong shape has its
 * own problem and is passed over. Without `now` (Unix ms) no date is judged.
 */
export function checkTogether(tree: YamlTree, now: number | undefined): Findings {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const report: Report = (path, part, message) => problems.push(tree.problemAt(path, part, message));
  const warn: Warn = (path, message) => warnings.push(tree.problemAt(path, "key", message));
  const document = asMap(tree.value);
  const sources = asMap(document["sources"]);
  const defaults = asMap(document["defaults"]);
  const indexes = mapsIn(document["indexes"]);
  checkSourceIdentities(document["sources"], report);
  checkLayers(document, report, warn);
  checkSchedule([], asMap(defaults["schedule"]), ["defaults", "schedule"], report);
  for (const [name, drain] of mapsIn(document["drains"])) {
    const path = ["drains", name];
    checkSourceOf(drain, Object.keys(sources), path, report);
    checkSchedule([asMap(defaults["schedule"])], asMap(drain["schedule"]), [...path, "schedule"], report);
    const rules = asList(drain["rules"]);
    const mayDrop = document["archive"] !== undefined || (drain["mode"] ?? defaults["mode"]) !== "live";
    const source = sourceNameOf(document, drain);
    const mayRetry = source === null || asMap(sources[source])["serviceRetry"] === true;
    checkRules(rules, mayDrop, mayRetry ? null : source, [...path, "rules"], report);
    checkRuleTests(asList(drain["tests"]), rules, [...path, "tests"], report);
    const known = indexes.map(([index]) => index);
    checkGuards(asList(drain["guards"]), known, [...path, "guards"], report);
    checkDates(asMap(drain["select"]), [...path, "select"], report);
  }
  for (const [name, index] of indexes) {
    checkSchedule([], asMap(index["schedule"]), ["indexes", name, "schedule"], report);
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
    else {
      const message = `expected another id than source ${sameId}, got ${quoted(id)}`;
      report(["sources", name, "id"], "value", message);
    }
    const url = parseServiceUrl(source["url"]);
    const account = JSON.stringify([url.ok ? url.value : source["url"], source["token"]]);
    const sameAccount = nameByAccount.get(account);
    if (sameAccount === undefined) nameByAccount.set(account, name);
    else {
      const message = `expected another url or token than source ${sameAccount}: one account is one source`;
      report(["sources", name], "key", message);
    }
  }
}

function checkSourceOf(drain: Raw, known: readonly string[], path: ValuePath, report: Report): void {
  const source = drain["source"];
  if (source === undefined && known.length > 1) {
    report(path, "key", `missing source; expected a source, ${oneOfText(known)}`);
  } else if (typeof source === "string" && known.length > 0 && !known.includes(source)) {
    report([...path, "source"], "value", unknownName("source", source, known));
  }
}

/** Only what does not depend on when a pass begins can be compared. */
function checkDates(select: Raw, path: ValuePath, report: Report): void {
  const from = parseEdge(select["fromDate"], "from");
  const to = parseEdge(select["toDate"], "to");
  if (!from.ok || !to.ok || from.value.kind !== to.value.kind) return;
  // Seen from any one moment; both are fixed, or both are so long ago.
  if (resolveEdge(from.value, 0) <= resolveEdge(to.value, 0)) return;
  report([...path, "toDate"], "value", "expected a toDate that is not before fromDate");
}

/** `layers` lie below: a timezone alone is for the cron pattern of a layer below. */
function checkSchedule(layers: readonly Raw[], schedule: Raw, path: ValuePath, report: Report): void {
  const { every, cron, timezone } = schedule;
  if (every !== undefined && cron !== undefined) {
    report([...path, "cron"], "key", "expected either every or cron, got both");
  } else if (timezone !== undefined && cron === undefined) {
    const below = layers.some((layer) => layer["cron"] !== undefined);
    if (every !== undefined || !below)
      report([...path, "timezone"], "key", "expected a cron pattern beside timezone");
  }
}
