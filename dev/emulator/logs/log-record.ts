import { redactHeader } from "../dlq/stored-dead-letter.ts";
import type { LogEntry } from "./message-log.ts";

/** An entry as it is listed; fields that do not apply are absent. */
export function toLogRecord(entry: LogEntry): Record<string, unknown> {
  const { time, state, message, seq: _, ...details } = entry;
  const { settings } = message;
  return {
    time,
    state,
    messageId: message.messageId,
    url: message.url,
    topicName: message.topicName,
    endpointName: message.endpointName,
    scheduleId: settings.scheduleId,
    queueName: message.queueName,
    method: settings.method,
    header: redactHeader(settings.header, settings.redaction),
    callback: settings.callback?.url,
    failureCallback: settings.failureCallback?.url,
    maxRetries: settings.maxRetries,
    retryDelayExpression: settings.retryDelay?.expression,
    timeout: settings.timeoutMs,
    label: settings.labels[0],
    labels: settings.labels.length === 0 ? undefined : settings.labels,
    flowControlKey: settings.flowControl?.key,
    callerIP: message.callerIp,
    ...details,
  };
}
