/** What CI systems read: annotations of GitHub's workflow commands, and SARIF 2.1.0. */
import type { Problem } from "../../../config/problem.ts";
import { present } from "../../operations/phrases.ts";
import { version } from "../version.ts";

export type FoundInDocument = Problem & { readonly kind: "error" | "warning" };

/** One line for each. Without any, nothing. */
export function toGithubAnnotations(findings: readonly FoundInDocument[]): string {
  return findings
    .map(({ kind, file, line, column, setting, path, message }) => {
      const place = Object.entries({ file, line, col: column, title: setting ?? path })
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
      return `::${kind}${place.length === 0 ? "" : ` ${place.join(",")}`}::${escapeText(message)}\n`;
    })
    .join("");
}

/** As the runner reads it back. */
function escapeText(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

export function toSarif(findings: readonly FoundInDocument[]): object {
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "redriver", version, rules: [{ id: "drains-document" }] } },
        columnKind: "utf16CodeUnits",
        results: findings.map(({ kind, file, line, column, setting, path, message }) => ({
          ruleId: "drains-document",
          level: kind,
          message: { text: present([setting ?? path, message]).join(": ") },
          ...(file !== undefined && {
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: encodeURI(file) },
                  ...(line !== undefined && { region: { startLine: line, startColumn: column ?? 1 } }),
                },
              },
            ],
          }),
        })),
      },
    ],
  };
}
