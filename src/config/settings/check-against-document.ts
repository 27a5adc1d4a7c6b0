/** What must be true of settings and document together before anything is built from them. */
import { isForwardable } from "../../job/message/headers.ts";
import type { DrainsDocument, SecretRef, SourceConfig } from "../../job/contracts/drains-document.ts";
import { postHorizonMs, takeoverAfterMs } from "../../job/contracts/ledger-limits.ts";
import { durationText } from "../../job/rules/durations.ts";
import { firstProblems, misfit, type Problem } from "../problem.ts";
import { toLedgerLimits } from "./ledger-limits.ts";
import type { Settings } from "./settings.ts";

export function checkFit(settings: Settings, document: DrainsDocument): readonly Problem[] {
  return firstProblems([...checkSources(settings, document), ...checkDocument(settings, document)]);
}

export function checkDocument(settings: Settings, document: DrainsDocument): readonly Problem[] {
  return [...checkInequality(settings, document), ...checkHeaders(settings, document)];
}

/** Else a message may double: W − S − X − 45 s must exceed S + T + 15 s, and a page be younger than W. */
export function checkInequality(settings: Settings, document: DrainsDocument): readonly Problem[] {
  return document.sources.flatMap((source) => {
    const limits = toLedgerLimits(settings, document, source);
    const subject = `sources.${source.name}.dedupWindow`;
    const windowText = durationText(limits.dedupWindowMs);
    const problems: Problem[] = [];
    const horizonMs = postHorizonMs(limits);
    const takeoverMs = takeoverAfterMs(limits);
    if (horizonMs <= takeoverMs) {
      const minMs = limits.dedupWindowMs - horizonMs + takeoverMs;
      const sendBy = `ledger.sendBy ${durationText(limits.sendByMs)}`;
      const behind =
        `: dedupWindow ${windowText} - ${sendBy} - ledger.networkDelay ${durationText(limits.networkDelayMs)} - 45s` +
        ` = ${durationText(horizonMs)} must exceed ${sendBy}` +
        ` + service.batchTimeout ${durationText(limits.batchTimeoutMs)} + 15s = ${durationText(takeoverMs)}`;
      problems.push({
        path: subject,
        message: misfit(`more than ${durationText(minMs)}`, windowText, behind),
      });
    }
    for (const [setting, ms] of [
      ["ledger.maxPageAge", limits.maxPageAgeMs],
      ["ledger.settleGateAge", limits.settleGateAgeMs],
    ] as const) {
      if (ms < limits.dedupWindowMs) continue;
      problems.push({ setting, message: misfit(`less than ${subject} ${windowText}`, durationText(ms)) });
    }
    return problems;
  });
}

/** Also that no account is a source twice: neither ledger would know what the other has published. */
function checkSources(settings: Settings, document: DrainsDocument): readonly Problem[] {
  const { url, token, tokenFile } = settings.service;
  const problems: Problem[] = [];
  const refuse = (path: string, expected: string, why = ""): void => {
    problems.push({ path, message: misfit(expected, undefined, why) });
  };
  const seen = new Map<string, SourceConfig>();
  for (const source of document.sources) {
    const path = `sources.${source.name}`;
    if (source.url === undefined && url === undefined) {
      refuse(`${path}.url`, "an address: its url, or service.url (REDRIVER_SERVICE_URL)");
    }
    if (source.token.kind === "settings" && token === undefined && tokenFile === undefined) {
      refuse(
        `${path}.token`,
        "a token: its token { file } or { env }, or REDRIVER_SERVICE_TOKEN or REDRIVER_SERVICE_TOKEN_FILE",
      );
    }
    const isOfFile = source.token.kind === "settings" && tokenFile !== undefined;
    const place: SecretRef = isOfFile ? { kind: "file", path: tokenFile } : source.token;
    const account = JSON.stringify([source.url ?? url, place]);
    const twin = seen.get(account);
    if (twin === undefined) seen.set(account, source);
    else refuse(path, `another url or token than source ${twin.name}`, ": one account is one source");
  }
  return problems;
}

function checkHeaders({ service: { headerPrefix } }: Settings, document: DrainsDocument): readonly Problem[] {
  const expected = `a header name that does not begin with ${headerPrefix} (service.headerPrefix)`;
  return document.drains.flatMap((drain) =>
    drain.rules.flatMap((rule, index) =>
      Object.keys(rule.set?.headers ?? {})
        .filter((name) => !isForwardable(name, headerPrefix))
        .map((name) => ({
          path: `drains.${drain.name}.rules[${index}].set.headers.${name}`,
          message: misfit(expected),
        })),
    ),
  );
}
