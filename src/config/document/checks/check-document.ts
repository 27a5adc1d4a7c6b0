import { parseEdge, resolveEdge } from "../../../job/rules/patterns/parse-dates.ts";
import { parseServiceUrl } from "../../service-and-callback-urls.ts";
import { oneOfText, quoted, unknownName, type Problem, type ValuePath } from "../../problem.ts";
import type { YamlTree } from "../../text/yaml-tree.ts";
import { sourceNameOf } from "./find-written-key.ts";
import { checkGuards } from "./guard-checks.ts";
import { checkNotify } from "./notify-checks.ts";
import { checkRules } from "./rule-checks.ts";
import { checkRuleTests } from "./rule-test-checks.ts";
import { checkLayers } from "./inherited-key-checks.ts";
import { toLintView } from "./lint-view.ts";
import { asList, asMap, type Raw } from "./raw-document.ts";
import { reportTo, type Report, type Warn } from "./report-problem.ts";
import { checkRetentions } from "./retention-checks.ts";
import { checkWhens } from "./when-checks.ts";
import { findWarnings } from "./drain-warnings.ts";

export interface Findings {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * Checks the document as it was written, so that all problems are reported at once. A value of a wrong shape
 * has its own problem and is passed over. Without `now` (Unix ms) no date is judged.
 */
export function checkTogether(tree: YamlTree, file: string, now: number | undefined): Findings {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const report = reportTo(problems, tree, file);
  const toWarnings = reportTo(warnings, tree, file);
  const warn: Warn = (path, message) => toWarnings(path, "key", message);
  const document = asMap(tree.value);
  const sources = asMap(document["sources"]);
  const defaults = asMap(document["defaults"]);
  checkSourceIdentities(sources, report);
  checkLayers(document, report);
  checkSchedule([], asMap(defaults["schedule"]), ["defaults", "schedule"], report);
  const hasArchive = document["archive"] !== undefined;
  const indexes = asMap(document["indexes"]);
  for (const [name, value] of Object.entries(asMap(document["drains"]))) {
    const drain = asMap(value);
    const path = ["drains", name];
    checkSourceOf(drain, Object.keys(sources), path, report);
    checkSchedule([asMap(defaults["schedule"])], asMap(drain["schedule"]), [...path, "schedule"], report);
    const mayDrop = hasArchive || (drain["mode"] ?? defaults["mode"]) !== "live";
    checkRules(asList(drain["rules"]), mayDrop, retryOf(sources, drain), [...path, "rules"], report);
    checkRuleTests(asList(drain["tests"]), asList(drain["rules"]), [...path, "tests"], report);
    checkGuards(asList(drain["guards"]), Object.keys(indexes), [...path, "guards"], report);
    checkDates(asMap(drain["select"]), [...path, "select"], report);
  }
  for (const [name, value] of Object.entries(indexes)) {
    checkSchedule([], asMap(asMap(value)["schedule"]), ["indexes", name, "schedule"], report);
  }
  checkNotify(document, report, warn);
  const view = toLintView(document);
  for (const drain of view.drains) checkWhens(drain, { places: view.places, document }, { report, warn });
  findWarnings(view, document, now, warn);
  checkRetentions(document, report, warn);
  return { problems, warnings };
}

/** Two sources with one id would share a ledger; one account under two ids would have two. */
function checkSourceIdentities(sources: Raw, report: Report): void {
  const nameById = new Map<string, string>();
  const nameByAccount = new Map<string, string>();
  for (const [name, value] of Object.entries(sources)) {
    const source = asMap(value);
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

function retryOf(sources: Raw, drain: Raw): string | null {
  const name = sourceNameOf(sources, drain);
  return name === null || asMap(sources[name])["serviceRetry"] === true ? null : name;
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
