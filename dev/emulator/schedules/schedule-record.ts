import { bodyTexts, redacted, redactHeader } from "../dlq/stored-dead-letter.ts";
import type { LogState, MessageLog } from "../logs/message-log.ts";
import type { MessageSchedule } from "./schedules.ts";

/** A schedule as it is shown; fields that do not apply are absent. */
export function toScheduleRecord(schedule: MessageSchedule, log: MessageLog): Record<string, unknown> {
  const { settings, lastMessageIds } = schedule;
  const flow = settings.flowControl;
  return {
    scheduleId: schedule.scheduleId,
    cron: schedule.cron.text,
    createdAt: schedule.createdAt,
    destination: schedule.destination,
    method: settings.method,
    header: redactHeader(settings.header, settings.redaction),
    ...shownBody(schedule),
    retries: settings.maxRetries,
    retryDelayExpression: settings.retryDelay?.expression,
    delay: settings.delayMs === undefined ? undefined : settings.delayMs / 1_000,
    callback: settings.callback?.url,
    failureCallback: settings.failureCallback?.url,
    callerIP: schedule.callerIp,
    isPaused: schedule.isPaused,
    queueName: schedule.queueName,
    flowControlKey: flow?.key,
    parallelism: flow?.parallelism,
    rate: flow?.rate,
    period: flow?.periodSeconds,
    label: settings.labels[0],
    labels: settings.labels.length === 0 ? undefined : settings.labels,
    lastScheduleTime: schedule.lastAt,
    nextScheduleTime: schedule.nextAt,
    lastScheduleStates:
      schedule.lastAt === undefined
        ? undefined
        : Object.fromEntries(lastMessageIds.map((id) => [id, outcomeOf(log.latestOf(id))])),
  };
}

function shownBody({ body, settings }: MessageSchedule): Record<string, string> {
  if (body.length === 0) return {};
  if (settings.redaction?.body === true) return { body: redacted(body) };
  // Only the one that applies: a schedule without a body has neither.
  return Object.fromEntries(Object.entries(bodyTexts("body", body)).filter(([, text]) => text !== ""));
}

/** What the log does not keep any more has ended long ago, nobody knows how. */
function outcomeOf(state: LogState | undefined): "IN_PROGRESS" | "SUCCESS" | "FAIL" {
  if (state === "DELIVERED") return "SUCCESS";
  return state === "FAILED" || state === "CANCELED" ? "FAIL" : "IN_PROGRESS";
}
