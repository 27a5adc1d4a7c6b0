import type { RebuildRow } from "../../message/describe-rebuild.ts";
import type { SampleReport } from "../../redrive/plan/rule-report.ts";
import { wrapText } from "../output/wrap.ts";

/** Samples that change alike are shown together, and below them what changes. */
export function toSamplesText(columns: number, samples: readonly SampleReport[]): string {
  const alike = new Map<string, string[]>();
  for (const { dlqId, url, status, redrive, changes } of samples) {
    const text = changes.map((row) => toChangeText(columns, row)).join("");
    const heads = alike.get(text) ?? [];
    heads.push(wrapText(columns, 6, "", `${dlqId} ${status ?? "none"} ${url}, attempt ${redrive}`));
    alike.set(text, heads);
  }
  if (alike.size === 0) return "";
  return `    samples\n${[...alike].map(([text, heads]) => `${heads.join("")}${toHead(heads.length, text)}${text}`).join("")}`;
}

function toHead(count: number, text: string): string {
  if (text === "")
    return `        ${count === 1 ? "this one is" : `all ${count} of these are`} sent unchanged\n`;
  return `        ${count === 1 ? "changes in this one" : `changes in all ${count} of these`}\n`;
}

function toChangeText(columns: number, { what, change, before, after }: RebuildRow): string {
  switch (change) {
    case "added":
      return wrapText(columns, 10, "", `${what}: added, ${after ?? ""}`);
    case "removed":
      return wrapText(columns, 10, "", `${what}: removed, was ${before ?? ""}`);
    case "changed": {
      if (before === after)
        return wrapText(columns, 10, "", `${what}: changed${before === null ? "" : ` (${before})`}`);
      const line = `${what}: ${before ?? ""} -> ${after ?? ""}`;
      if (10 + line.length <= columns) return wrapText(columns, 10, "", line);
      return `${wrapText(columns, 10, "", what)}${wrapText(columns, 12, "- ", before ?? "")}${wrapText(columns, 12, "+ ", after ?? "")}`;
    }
  }
}
