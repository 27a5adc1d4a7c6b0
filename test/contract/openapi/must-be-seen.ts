const itemHeaders = [
  "Callback",
  "Callback-Forward-*",
  "Deduplication-Id",
  "Delay",
  "Failure-Callback",
  "Failure-Callback-Forward-*",
  "Flow-Control-Key",
  "Flow-Control-Value",
  "Forward-*",
  "Label",
  "Method",
  "Retries",
  "Retry-Delay",
  "Timeout",
];

const filters = [
  "callerIp",
  "count",
  "cursor",
  "fromDate",
  "label",
  "messageId",
  "queueName",
  "responseStatus",
  "scheduleId",
  "toDate",
  "topicName",
  "url",
];

/**
 * What the play has to bring about, as a tally counts it. A play that no longer sends a filter would find no
 * fault with it.
 */
export const mustBeSeen: readonly string[] = [
  ...filters.map((name) => `GET /v2/dlq: query ${name}`),
  "GET /v2/dlq: answer 200",
  "DELETE /v2/dlq: query dlqIds",
  "DELETE /v2/dlq: answer 200",
  ...itemHeaders.map((name) => `POST /v2/batch: item header Upstash-${name}`),
  "POST /v2/batch: answer 200",
  "POST /v2/batch: answer 400",
];
