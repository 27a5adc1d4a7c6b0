/**
 * The pages' styles, read once. They stand in the page itself: asked for apart, they would hold its first paint
 * back by one more answer, which a port-forward makes long. The policy names them by their hashes.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ownFile } from "./asset-files.ts";

export const pageStyle = read(ownFile("console.css"));

export const styleHash = `'sha256-${createHash("sha256").update(pageStyle).digest("base64")}'`;

function read(path: string): string {
  const style = readFileSync(path, "utf8").trim();
  // Nothing in a style is escaped.
  if (style.includes("</")) throw new Error(`${path} would end its own element`);
  return style;
}
