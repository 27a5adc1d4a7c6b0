import { loadDocument } from "../../src/config/document/load-document.ts";
import { showEffectiveDocument } from "../../src/config/document/show-effective-document.ts";
import { formatProblem } from "../../src/config/problem.ts";
import { loadSettings, type SettingsInput } from "../../src/config/settings/load-settings.ts";
import type { Settings } from "../../src/config/settings/settings.ts";
import type { DrainConfig, DrainsDocument } from "../../src/job/contracts/drains-document.ts";

/** The top of the smallest document. */
export const head = "version: 1\nsources: { default: {} }\n";

/** A document that loads, as `drains.yaml`. `now`: Unix ms by which dates are judged; absent: none is. */
export function load(text: string, now?: number): { document: DrainsDocument; warnings: string[] } {
  const outcome = loadDocument(text, "drains.yaml", now === undefined ? {} : { now });
  if (!outcome.ok) throw new Error(outcome.problems.map(formatProblem).join("\n"));
  return { document: outcome.document, warnings: outcome.warnings.map(formatProblem) };
}

/** As `config show` prints it. */
export function shownOf(text: string): string {
  return showEffectiveDocument(text, load(text).document.hash);
}

export function drainOf(text: string, name = "orders"): DrainConfig {
  const drain = load(text).document.drains.find((candidate) => candidate.name === name);
  if (drain === undefined) throw new Error(`no drain ${name}`);
  return drain;
}

/** A line each; none of a document that loads. */
export function problemsOf(text: string): string[] {
  const outcome = loadDocument(text, "drains.yaml");
  return outcome.ok ? [] : outcome.problems.map(formatProblem);
}

/** A document with one drain whose lines, indented by four spaces, are given. */
export function withDrain(...lines: string[]): string {
  return [
    "version: 1",
    "sources: { default: {} }",
    "drains:",
    "  orders:",
    ...lines.map((line) => `    ${line}`),
  ].join("\n");
}

/** Settings from nothing but this. Throws all problems. */
export function settingsOf(input: Partial<SettingsInput>): Settings {
  const outcome = loadSettings({ env: {}, flags: {}, ...input });
  if (!outcome.ok) throw new Error(outcome.problems.map(formatProblem).join("\n"));
  return outcome.settings;
}
