import { json, type EmulatorAnswer } from "../http/answers.ts";
import type { Exchange } from "../http/read-request.ts";
import { refuseUnfit } from "../publish/parse-publish-items.ts";
import { canonicalName } from "../publish/header-values.ts";
import {
  isEndpointUrl,
  isForwarded,
  parseMessageHeaders,
  plainSettings,
} from "../publish/message-headers.ts";
import {
  emptyHeaderMap,
  type CallbackTarget,
  type FlowControlLimits,
  type HeaderMap,
  type Message,
  type MessageSettings,
} from "../publish/message.ts";
import type { SingleAnswer } from "../publish/publisher.ts";
import { parseRetryDelay } from "../publish/retry-delay.ts";
import { EmulatorRefusal } from "../refusal.ts";
import type { EmulatorCore } from "../emulator-parts.ts";
import type { StoredDeadLetter } from "./stored-dead-letter.ts";
import type { DlqQuery } from "./dlq-query.ts";
import { formatDlqId } from "./dlq-ids-and-cursors.ts";

/*
 * The service's own way back: a dead letter becomes a new message with the same body, headers and settings,
 * and leaves the DLQ. Everything that can be refused is refused before the first message is sent. Then each
 * message is sent and its record removed in one step, so that no record is ever both gone and unsent. A
 * message that is deduplicated is not sent, and its record stays.
 */

export function retryOne(core: EmulatorCore, exchange: Exchange, dlqId: string): EmulatorAnswer {
  return json(201, retry(core, prepare(core, exchange, dlqId)));
}

/** One id that is gone refuses the whole call: a partial answer could not say which. */
export function retryMany(core: EmulatorCore, exchange: Exchange, query: DlqQuery): EmulatorAnswer {
  const page = query.dlqIds === undefined ? core.deadLetters.list(query) : undefined;
  // A listing that lags shows records that are gone already.
  const listed = page?.records
    .map((found) => formatDlqId(found))
    .filter((dlqId) => core.deadLetters.find(dlqId) !== undefined);
  const dlqIds = listed ?? [...new Set(query.dlqIds)];
  const prepared = dlqIds.map((dlqId) => prepare(core, exchange, dlqId));
  return json(201, { cursor: page?.cursor, responses: prepared.map((one) => retry(core, one)) });
}

function retry(
  core: EmulatorCore,
  { dlqId, messageId, item, origin }: ReturnType<typeof prepare>,
): SingleAnswer {
  const answer = core.publisher.republish(item, origin);
  if (answer.deduplicated === true) return answer;
  core.deadLetters.leave(dlqId);
  core.journal.add({ type: "retried", dlqId, messageId, newMessageId: answer.messageId });
  return answer;
}

function prepare(core: EmulatorCore, exchange: Exchange, dlqId: string) {
  const record = core.deadLetters.find(dlqId);
  if (record === undefined) throw new EmulatorRefusal(404, `dead letter not found: ${dlqId}`);
  const source = core.deadLetters.sourceOf(dlqId) ?? sourceFrom(core.deadLetters.unredacted(dlqId, record));
  // The content type of a retry request is that of its own body, not of the message. Delay, Not-Before and
  // deduplication are over with the first publish, so they are not asked for again.
  const settings = parseMessageHeaders(
    { ...exchange.headers, "content-type": undefined },
    core.settings.headerPrefix,
    {
      ...source.settings,
      delayMs: undefined,
      notBeforeSeconds: undefined,
      deduplicationId: undefined,
      contentBasedDeduplication: false,
    },
  );
  const { url, endpointName, queueName, body, topicName, topicId } = source;
  if (!isEndpointUrl(url)) throw new EmulatorRefusal(400, `invalid destination url: ${url}`);
  refuseUnfit(queueName, body, settings, core.settings);
  return {
    dlqId,
    messageId: textOf(record, "messageId") ?? "",
    item: {
      destination: url,
      endpoints: [{ url, name: endpointName }],
      urlGroup: undefined,
      queueName,
      settings,
      body,
    },
    origin: { callerIp: exchange.remoteAddress, topicName, topicId },
  };
}

type Source = Pick<
  Message,
  "url" | "body" | "settings" | "queueName" | "topicName" | "topicId" | "endpointName"
>;

/** The message as its record shows it. A record put there directly may hold anything. */
function sourceFrom(record: StoredDeadLetter): Source {
  const { maxRetries, labels } = record;
  const label = textOf(record, "label");
  const settings: MessageSettings = {
    ...plainSettings,
    method: textOf(record, "method") ?? plainSettings.method,
    header: headerOf(record, "header"),
    maxRetries: typeof maxRetries === "number" ? maxRetries : plainSettings.maxRetries,
    retryDelay: parseRetryDelay(textOf(record, "retryDelayExpression") ?? ""),
    callback: callbackOf(record, "callback"),
    failureCallback: callbackOf(record, "failureCallback"),
    labels: Array.isArray(labels) ? labels.map(String) : label === undefined ? [] : [label],
    scheduleId: textOf(record, "scheduleId"),
    flowControl: flowControlOf(record),
  };
  return {
    url: textOf(record, "url") ?? "",
    body: bodyOf(record),
    settings,
    queueName: textOf(record, "queueName"),
    topicName: textOf(record, "topicName"),
    topicId: textOf(record, "topicId"),
    endpointName: textOf(record, "endpointName"),
  };
}

function flowControlOf(record: StoredDeadLetter): FlowControlLimits | undefined {
  const key = textOf(record, "flowControlKey");
  return key === undefined
    ? undefined
    : {
        key,
        parallelism: limitOf(record, "parallelism"),
        rate: limitOf(record, "rate"),
        periodSeconds: limitOf(record, "period"),
      };
}

function callbackOf(
  record: StoredDeadLetter,
  name: "callback" | "failureCallback",
): CallbackTarget | undefined {
  const url = textOf(record, name);
  return url === undefined ? undefined : { url, header: headerOf(record, `${name}Header`) };
}

/** What is no map of texts is left out. */
function headerOf(record: StoredDeadLetter, field: string): HeaderMap {
  const given = record[field];
  const header = emptyHeaderMap();
  if (typeof given !== "object" || given === null) return header;
  for (const [name, values] of Object.entries(given)) {
    if (Array.isArray(values) && isForwarded(name)) header[canonicalName(name)] = values.map(String);
  }
  return header;
}

function bodyOf(record: StoredDeadLetter): Buffer {
  const base64 = textOf(record, "bodyBase64");
  return base64 === undefined ? Buffer.from(textOf(record, "body") ?? "") : Buffer.from(base64, "base64");
}

function textOf(record: StoredDeadLetter, field: string): string | undefined {
  const value = record[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** NaN, which is no limit that can be met, for what is there and no number. */
function limitOf(record: StoredDeadLetter, field: string): number | undefined {
  const value = record[field] ?? undefined;
  return value === undefined || typeof value === "number" ? value : Number.NaN;
}
