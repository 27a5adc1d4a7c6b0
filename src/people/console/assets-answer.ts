import type { Asset } from "./assets.ts";
import type { Asked } from "./asked.ts";

/** Undefined: there is no such asset. */
export function answerAsset(context: Asked, asset: Asset | undefined): Response | Promise<Response> {
  if (asset === undefined) return context.notFound();
  const headers = {
    "content-type": asset.type,
    etag: asset.etag,
    "cache-control": "no-cache",
    vary: "accept-encoding",
  };
  if (context.req.header("if-none-match") === asset.etag) return context.body(null, 304, headers);
  const isGzip = /\bgzip\b/.test(context.req.header("accept-encoding") ?? "");
  return context.body(
    new Uint8Array(isGzip ? asset.gzipped : asset.bytes),
    200,
    isGzip ? { ...headers, "content-encoding": "gzip" } : headers,
  );
}
