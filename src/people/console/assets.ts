/** The few files that pages load, read once. A browser asks each time whether its copy is still right (ETag). */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join } from "node:path";

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
}

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="#2563eb"/><path d="M5 8h6M8 5l3 3-3 3" stroke="#fff" stroke-width="1.6" fill="none"/></svg>';

/**
 * By the last part of its path. The browser's own script is built beside this file; run from source there is none,
 * and every page works without.
 */
export function readAssets(): ReadonlyMap<string, Asset> {
  return new Map([
    ["console.js", toAsset("text/javascript", readIfBuilt(ownFile("console.js")))],
    ["icon.svg", toAsset("image/svg+xml", Buffer.from(icon))],
  ]);
}

function readIfBuilt(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}

function toAsset(type: string, bytes: Buffer): Asset {
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 20)}"`;
  return { type: `${type}; charset=utf-8`, bytes, gzipped: gzipSync(bytes, { level: 9 }), etag };
}

function ownFile(name: string): string {
  return join(import.meta.dirname, "browser", name);
}

/** In the page itself: asked for apart, it would hold the first paint back by one more answer. */
export const pageStyle = read(ownFile("console.css"));

export const styleHash = `'sha256-${createHash("sha256").update(pageStyle).digest("base64")}'`;

function read(path: string): string {
  const style = readFileSync(path, "utf8").trim();
  // Nothing in a style is escaped.
  if (style.includes("</")) throw new Error(`${path} would end its own element`);
  return style;
}
