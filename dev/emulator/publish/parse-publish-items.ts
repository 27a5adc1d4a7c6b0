import { z } from "zod";
import { accept } from "../check-input.ts";
import type { EmulatorSettings } from "../options.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { isFlowControl } from "./header-values.ts";
import { isDirectoryName, type Directory, type Endpoint, type UrlGroup } from "./groups-and-queues.ts";
import { isEndpointUrl, parseMessageHeaders, plainSettings, type GivenHeaders } from "./message-headers.ts";
import type { MessageSettings } from "./message.ts";

type BatchLimits = Pick<EmulatorSettings, "headerPrefix" | "maxMessageBytes" | "maxRetries">;

export interface PublishItem {
  readonly destination: string;
  /** One endpoint for a URL; those of the group for a URL Group. */
  readonly endpoints: readonly Endpoint[];
  readonly urlGroup: UrlGroup | undefined;
  readonly queueName: string | undefined;
  readonly settings: MessageSettings;
  readonly body: Buffer;
}

const itemSchema = z.strictObject({
  destination: z.string(),
  queue: z.string().optional(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(""),
});

/** An item that cannot be published, with the deduplication id that it asked for. */
export interface InvalidItem {
  readonly refusal: EmulatorRefusal;
  readonly deduplicationId: string | undefined;
}

/** Each item of a call, fit or not. */
export function parseBatch(
  payload: unknown,
  directory: Directory,
  limits: BatchLimits,
): readonly (PublishItem | InvalidItem)[] {
  if (!Array.isArray(payload))
    throw new EmulatorRefusal(400, "request body must be a JSON array of messages");
  const idName = `${limits.headerPrefix}Deduplication-Id`.toLowerCase();
  return payload.map((item: unknown, index) => {
    let given: Readonly<Record<string, string>> = {};
    try {
      const { destination, queue, headers, body } = accept(itemSchema, item, "message");
      given = headers;
      // An empty name is how clients of the service say that there is no queue.
      const draft = { destination, queueName: queue || undefined, headers, body: Buffer.from(body) };
      return toItem(draft, directory, limits);
    } catch (error) {
      if (!(error instanceof EmulatorRefusal)) throw error;
      // The text keeps its beginning, by which clients recognise permanent refusals.
      const refusal = new EmulatorRefusal(error.status, `${error.message} (message ${index})`);
      const idHeader = Object.keys(given).find((name) => name.toLowerCase() === idName);
      return { refusal, deduplicationId: idHeader && given[idHeader] };
    }
  });
}

type ItemDraft = Pick<PublishItem, "destination" | "queueName" | "body"> & { readonly headers: GivenHeaders };

/** Refuses with 400 what cannot be understood, and with 412 what is over a quota. */
export function toItem(
  draft: ItemDraft,
  directory: Directory,
  limits: BatchLimits,
  refuse = refuseUnfit,
): PublishItem {
  const { destination, queueName, headers, body } = draft;
  if (destination === "") throw new EmulatorRefusal(400, "destination is required");
  // A message that does not say how often it is retried cannot ask for too much.
  const base = { ...plainSettings, maxRetries: Math.min(plainSettings.maxRetries, limits.maxRetries) };
  const settings = parseMessageHeaders(headers, limits.headerPrefix, base);
  refuse(queueName, body, settings, limits);
  return { ...resolveDestination(destination, directory), queueName, settings, body };
}

/** What holds for every message, also for one that is sent once more. */
export function refuseUnfit(
  queueName: string | undefined,
  body: Buffer,
  settings: MessageSettings,
  limits: BatchLimits,
): void {
  refuseOverQuota(queueName, body, settings, limits);
  if (queueName !== undefined && (settings.delayMs ?? settings.notBeforeSeconds) !== undefined) {
    throw new EmulatorRefusal(400, "a delay cannot be combined with a queue");
  }
}

/** What holds for schedules too. */
export function refuseOverQuota(
  queueName: string | undefined,
  body: Buffer,
  settings: MessageSettings,
  limits: BatchLimits,
): void {
  if (queueName !== undefined && !isDirectoryName(queueName)) {
    throw new EmulatorRefusal(400, `invalid queue name: ${queueName}`);
  }
  if (body.length > limits.maxMessageBytes) {
    throw new EmulatorRefusal(
      412,
      `quota maxMessageSize exceeded: ${body.length} > ${limits.maxMessageBytes}`,
    );
  }
  if (settings.maxRetries > limits.maxRetries) {
    throw new EmulatorRefusal(
      412,
      `quota maxRetries exceeded: ${settings.maxRetries} > ${limits.maxRetries}`,
    );
  }
  if (settings.flowControl !== undefined && !isFlowControl(settings.flowControl)) {
    throw new EmulatorRefusal(400, "invalid flow control: expected whole numbers from 1 up");
  }
}

/** Refuses with 400 what is neither a URL nor a URL Group with endpoints. */
export function resolveDestination(
  destination: string,
  directory: Directory,
): Pick<PublishItem, "destination" | "endpoints" | "urlGroup"> {
  if (isEndpointUrl(destination)) {
    return { destination, endpoints: [{ url: destination }], urlGroup: undefined };
  }
  const urlGroup = directory.urlGroup(destination);
  if (urlGroup === undefined) {
    throw new EmulatorRefusal(
      400,
      `invalid destination url: ${destination}: neither an http(s) URL nor a URL Group`,
    );
  }
  if (urlGroup.endpoints.length === 0)
    throw new EmulatorRefusal(400, `url group ${destination} has no endpoints`);
  return { destination, endpoints: urlGroup.endpoints, urlGroup };
}
