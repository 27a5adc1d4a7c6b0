import { json, errorAnswer, type Answer, type Exchange } from "../http/exchange.ts";
import { refuseUnfit, type BatchItem } from "../publish/batch-validation.ts";
import { canonicalName } from "../publish/header-names.ts";
import {
  isEndpointUrl,
  isForwarded,
  parseMessageHeaders,
  plainSettings,
  type GivenHeaders,
} from "../publish/message-headers.ts";
import {
  emptyHeaderMap,
  type CallbackTarget,
  type FlowControl,
  type HeaderMap,
  type Message,
  type MessageSettings,
} from "../publish/message.ts";
import type { Origin, SingleAnswer } from "../publish/publisher.ts";
import { parseRetryDelay } from "../publish/retry-delay.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import type { DeadLetter } from "./dead-letter.ts";
import type { DlqQuery } from "./dlq-query.ts";
import { formatDlqId } from "./position.ts";

/*
 * The service's own way back: a dead letter becomes a new message with the same body, headers and settings, and leaves
 * the DLQ. Everything that can be refused is refused before the first message is sent; then each message is sent and
 * its record removed in one step, so that no record is ever both gone and unsent. A message that is deduplicated is not
 * sent, and its record stays.
 */

interface Prepared {
  readonly dlqId: string;
  readonly messageId: string;
  readonly item: BatchItem;
  readonly origin: Origin;
}

export function retryOne(world: World, exchange: Exchange, dlqId: string): Answer {
  if (world.deadLetters.find(dlqId) === undefined) return errorAnswer(404, "dead letter not found");
  return json(201, retry(world, prepare(world, exchange, dlqId)));
}

/** One id that is gone refuses the whole call: a partial answer could not say which. */
export function retryMany(world: World, exchange: Exchange, query: DlqQuery): Answer {
  const page = query.dlqIds === undefined ? world.deadLetters.list(query) : undefined;
  // A listing that lags shows records that are gone already.
  const listed = page?.records
    .map((found) => formatDlqId(found))
    .filter((dlqId) => world.deadLetters.find(dlqId) !== undefined);
  const dlqIds = listed ?? [...new Set(query.dlqIds)];
  const prepared = dlqIds.map((dlqId) => prepare(world, exchange, dlqId));
  return json(201, { cursor: page?.cursor, responses: prepared.map((one) => retry(world, one)) });
}

function retry(world: World, { dlqId, messageId, item, origin }: Prepared): SingleAnswer {
  const answer = world.publisher.republish(item, origin);
  if (answer.deduplicated === true) return answer;
  world.deadLetters.leave(dlqId);
  world.journal.add({ type: "retried", dlqId, messageId, newMessageId: answer.messageId });
  return answer;
}

function prepare(world: World, exchange: Exchange, dlqId: string): Prepared {
  const record = world.deadLetters.find(dlqId);
  if (record === undefined) throw new Refusal(404, `dead letter not found: ${dlqId}`);
  const source = world.deadLetters.sourceOf(dlqId) ?? sourceFrom(record);
  const settings = parseMessageHeaders(
    settingHeaders(exchange.headers),
    world.settings.headerPrefix,
    askedBy(source.settings),
  );
  const { url, endpointName, queueName, body, topicName, topicId } = source;
  if (!isEndpointUrl(url)) throw new Refusal(400, `invalid destination url: ${url}`);
  refuseUnfit(queueName, body, settings, world.directory, world.settings);
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

/** The content type of a retry request is that of its own body, not of the message. */
const settingHeaders = (headers: GivenHeaders): GivenHeaders => ({ ...headers, "content-type": undefined });

/** Delay, Not-Before and deduplication are over with the first publish, so they are not asked for again. */
const askedBy = (settings: MessageSettings): MessageSettings => ({
  ...settings,
  delayMs: undefined,
  notBeforeSeconds: undefined,
  deduplicationId: undefined,
  contentBasedDeduplication: false,
});

type Source = Pick<
  Message,
  "url" | "body" | "settings" | "queueName" | "topicName" | "topicId" | "endpointName"
>;

/** The message as its record shows it. A record put there directly may hold anything. */
function sourceFrom(record: DeadLetter): Source {
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

function flowControlOf(record: DeadLetter): FlowControl | undefined {
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

function callbackOf(record: DeadLetter, name: "callback" | "failureCallback"): CallbackTarget | undefined {
  const url = textOf(record, name);
  return url === undefined ? undefined : { url, header: headerOf(record, `${name}Header`) };
}

/** What is no map of texts is left out. */
function headerOf(record: DeadLetter, field: string): HeaderMap {
  const given = record[field];
  const header = emptyHeaderMap();
  if (typeof given !== "object" || given === null) return header;
  for (const [name, values] of Object.entries(given)) {
    if (Array.isArray(values) && isForwarded(name)) header[canonicalName(name)] = values.map(String);
  }
  return header;
}

function bodyOf(record: DeadLetter): Buffer {
  const base64 = textOf(record, "bodyBase64");
  return base64 === undefined ? Buffer.from(textOf(record, "body") ?? "") : Buffer.from(base64, "base64");
}

function textOf(record: DeadLetter, field: string): string | undefined {
  const value = record[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** NaN, which is no limit that can be met, for what is there and no number. */
function limitOf(record: DeadLetter, field: string): number | undefined {
  const value = record[field] ?? undefined;
  return value === undefined || typeof value === "number" ? value : Number.NaN;
}
