/**
 * The pages' styles, read once. They stand in the page itself: asked for apart, they would hold its first paint
 * back by one more answer, which a port-forward makes long. The policy names them by their hashes.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { chartFile, ownFile } from "./asset-files.ts";

export const pageStyle = read(ownFile("console.css"));

/** Only for pages with a chart. */
export const chartStyle = read(chartFile("uPlot.min.css"));

export const styleHashes = [pageStyle, chartStyle].map(
  (style) => `'sha256-${createHash("sha256").update(style).digest("base64")}'`,
);

function read(path: string): string {
  const style = readFileSync(path, "utf8").trim();
  // Nothing in a style is escaped.
  if (style.includes("</")) throw new Error(`${path} would end its own element`);
  return style;
}
