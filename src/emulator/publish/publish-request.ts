import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import { toItem, type BatchItem } from "./batch-validation.ts";

/**
 * The one message that a request to `/v2/publish/{destination}` or `/v2/enqueue/{queue}/{destination}` is: its body as
 * it came, its headers from the request's own.
 */
export function parsePublish(
  world: World,
  exchange: Exchange,
  rest: string,
  queueName: string | undefined,
): BatchItem {
  const draft = {
    destination: destinationOf(rest, exchange.rawQuery),
    queueName,
    headers: exchange.headers,
    body: exchange.body,
  };
  return toItem(draft, world.directory, world.settings);
}

/** A URL stands in the path as it is, its query being that of the request, or percent-encoded as a whole. */
function destinationOf(rest: string, rawQuery: string): string {
  if (/^https?:\/\//i.test(rest)) return rawQuery === "" ? rest : `${rest}?${rawQuery}`;
  let decoded: string;
  try {
    decoded = decodeURIComponent(rest);
  } catch {
    throw new Refusal(400, `invalid destination url: ${rest}`);
  }
  if (rawQuery === "" || !/^https?:\/\//i.test(decoded)) return decoded;
  return `${decoded}${decoded.includes("?") ? "&" : "?"}${rawQuery}`;
}
