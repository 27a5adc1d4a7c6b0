import { Refusal } from "../refusal.ts";
import type { Directory, Endpoint, UrlGroup } from "./directory.ts";
import { isEndpointUrl, parseMessageHeaders } from "./message-headers.ts";
import type { MessageSettings } from "./message.ts";

export interface BatchLimits {
  readonly headerPrefix: string;
  readonly maxMessageBytes: number;
  readonly maxRetries: number;
}

/** One item that may be published: everything about it was understood. */
export interface BatchItem {
  readonly destination: string;
  /** One endpoint for a URL; those of the group for a URL Group. */
  readonly endpoints: readonly Endpoint[];
  readonly urlGroup: UrlGroup | undefined;
  readonly queueName: string | undefined;
  readonly settings: MessageSettings;
  readonly body: Buffer;
}

const fields: ReadonlySet<string> = new Set(["destination", "queue", "headers", "body"]);

/** All items, or a refusal of the whole call: one bad item takes the batch down with it. */
export function parseBatch(payload: unknown, directory: Directory, limits: BatchLimits): BatchItem[] {
  if (!Array.isArray(payload)) throw new Refusal(400, "request body must be a JSON array of messages");
  return payload.map((item: unknown, index) => {
    try {
      return parseItem(item, directory, limits);
    } catch (error) {
      // The text keeps its beginning, by which clients recognise permanent refusals.
      if (error instanceof Refusal) throw new Refusal(error.status, `${error.message} (message ${index})`);
      throw error;
    }
  });
}

function parseItem(item: unknown, directory: Directory, limits: BatchLimits): BatchItem {
  if (!isObject(item)) throw new Refusal(400, "a message must be an object");
  const unknown = Object.keys(item).find((key) => !fields.has(key));
  if (unknown !== undefined) throw new Refusal(400, `unknown field in message: ${unknown}`);
  const { destination, queue, body } = item;

  if (typeof destination !== "string" || destination === "")
    throw new Refusal(400, "destination is required");
  if (queue !== undefined && (typeof queue !== "string" || !directory.isQueueName(queue))) {
    throw new Refusal(400, "invalid queue name");
  }
  if (body !== undefined && typeof body !== "string") throw new Refusal(400, "body must be a string");
  const bytes = Buffer.from(body ?? "", "utf8");
  if (bytes.length > limits.maxMessageBytes) {
    throw new Refusal(412, `quota maxMessageSize exceeded: ${bytes.length} > ${limits.maxMessageBytes}`);
  }

  const settings = parseMessageHeaders(parseHeaders(item["headers"]), limits.headerPrefix);
  if (settings.maxRetries > limits.maxRetries) {
    throw new Refusal(412, `quota maxRetries exceeded: ${settings.maxRetries} > ${limits.maxRetries}`);
  }
  if (queue !== undefined && (settings.delayMs !== undefined || settings.notBeforeSeconds !== undefined)) {
    throw new Refusal(400, "a delay cannot be combined with a queue");
  }
  return { ...resolveDestination(destination, directory), queueName: queue, settings, body: bytes };
}

function resolveDestination(
  destination: string,
  directory: Directory,
): Pick<BatchItem, "destination" | "endpoints" | "urlGroup"> {
  if (isEndpointUrl(destination)) {
    return { destination, endpoints: [{ url: destination }], urlGroup: undefined };
  }
  const urlGroup = directory.urlGroup(destination);
  if (urlGroup === undefined) {
    throw new Refusal(400, `invalid destination url: ${destination}: neither an http(s) URL nor a URL Group`);
  }
  if (urlGroup.endpoints.length === 0) throw new Refusal(400, `url group ${destination} has no endpoints`);
  return { destination, endpoints: urlGroup.endpoints, urlGroup };
}

function parseHeaders(headers: unknown): Record<string, string> {
  if (headers === undefined) return {};
  if (!isObject(headers)) throw new Refusal(400, "headers must be an object");
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string") throw new Refusal(400, `value of header ${name} must be a string`);
  }
  return headers as Record<string, string>;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
