import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { FinalFailure } from "../delivery/deliveries.ts";
import type { HeaderMap, Message, Redaction } from "../publish/message.ts";
import type { EmulatorSettings } from "../options.ts";

/** A record as it is listed; fields that do not apply are absent. */
export type StoredDeadLetter = Readonly<Record<string, unknown>>;

type Shape = Pick<EmulatorSettings, "recordHeaders" | "missingStatus" | "earlierForm">;

export function toDeadLetter(failure: FinalFailure, shape: Shape): StoredDeadLetter {
  const { message, attempt, request } = failure;
  const header =
    shape.recordHeaders === "sent" ? sentHeader(request.header, message.body) : message.settings.header;
  return {
    ...toMessageRecord(message, header),
    responseStatus: attempt.status === 0 && shape.missingStatus === "absent" ? undefined : attempt.status,
    responseHeader: nonEmpty(attempt.header),
    ...bodyTexts("responseBody", attempt.body),
    ...(shape.earlierForm ? { state: "failed", topicId: message.topicId } : {}),
  };
}

/** A message as it is shown, whatever became of it; redacted where it asks for that. */
export function toMessageRecord(
  message: Message,
  header: HeaderMap = message.settings.header,
): StoredDeadLetter {
  const { settings } = message;
  const flow = settings.flowControl;
  return {
    messageId: message.messageId,
    url: message.url,
    topicName: message.topicName,
    endpointName: message.endpointName,
    method: settings.method,
    header: redactHeader(header, settings.redaction),
    ...(settings.redaction?.body
      ? { body: redacted(message.body), bodyBase64: "" }
      : bodyTexts("body", message.body)),
    maxRetries: settings.maxRetries,
    retryDelayExpression: settings.retryDelay?.expression,
    notBefore: message.notBefore,
    createdAt: message.createdAt,
    callback: settings.callback?.url,
    callbackHeader: nonEmpty(settings.callback?.header),
    failureCallback: settings.failureCallback?.url,
    failureCallbackHeader: nonEmpty(settings.failureCallback?.header),
    scheduleId: settings.scheduleId,
    callerIP: message.callerIp,
    queueName: message.queueName,
    label: settings.labels[0],
    labels: settings.labels.length === 0 ? undefined : settings.labels,
    flowControlKey: flow?.key,
    rate: flow?.rate,
    period: flow?.periodSeconds,
    parallelism: flow?.parallelism,
  };
}

/** Text in one field, or base64 in the other; the one that does not apply is empty. */
export function bodyTexts(field: "body" | "responseBody", bytes: Buffer): Record<string, string> {
  const text = isUtf8(bytes);
  return {
    [field]: text ? bytes.toString("utf8") : "",
    [`${field}Base64`]: text ? "" : bytes.toString("base64"),
  };
}

export const redacted = (content: Buffer | string): string =>
  `REDACTED:${createHash("sha256").update(content).digest("hex")}`;

export function redactHeader(header: HeaderMap, redaction: Redaction | undefined): HeaderMap {
  if (redaction === undefined) return header;
  const { headers } = redaction;
  return Object.fromEntries(
    Object.entries(header).map(([name, values]) => [
      name,
      headers === "all" || headers.has(name) ? values.map((value) => redacted(value)) : values,
    ]),
  );
}

const sentHeader = (header: HeaderMap, body: Buffer): HeaderMap => ({
  ...header,
  "Content-Length": [String(body.length)],
});

const nonEmpty = (header: HeaderMap | undefined): HeaderMap | undefined =>
  header === undefined || Object.keys(header).length === 0 ? undefined : header;
