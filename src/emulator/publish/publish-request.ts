import type { Exchange } from "../http/exchange.ts";
import { EmulatorRefusal } from "../refusal.ts";
import type { EmulatorCore } from "../emulator-core.ts";
import { toItem, type PublishItem } from "./parse-batch.ts";

/**
 * The one message that a request to `/v2/publish/{destination}` or `/v2/enqueue/{queue}/{destination}` is: its body as
 * it came, its headers from the request's own.
 */
export function parsePublish(
  core: EmulatorCore,
  exchange: Exchange,
  rest: string,
  queueName: string | undefined,
): PublishItem {
  const draft = {
    destination: destinationOf(rest, exchange.rawQuery),
    queueName,
    headers: exchange.headers,
    body: exchange.body,
  };
  return toItem(draft, core.directory, core.settings);
}

/** A URL stands in the path as it is, its query being that of the request, or percent-encoded as a whole. */
function destinationOf(rest: string, rawQuery: string): string {
  if (/^https?:\/\//i.test(rest)) return rawQuery === "" ? rest : `${rest}?${rawQuery}`;
  let decoded: string;
  try {
    decoded = decodeURIComponent(rest);
  } catch {
    throw new EmulatorRefusal(400, `invalid destination url: ${rest}`);
  }
  if (rawQuery === "" || !/^https?:\/\//i.test(decoded)) return decoded;
  return `${decoded}${decoded.includes("?") ? "&" : "?"}${rawQuery}`;
}
