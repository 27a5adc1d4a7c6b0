import type { KnownObjection, Winner } from "./tally.ts";

const idReason =
  "Ids are what a bulk delete takes, so a listing has to have them. The client reads them there.";

/**
 * What the vendor's OpenAPI document objects to, and why it stays. Nothing else may be objected to, and each of
 * these has to be met. Where the service's interface description speaks, it counts for more than that document.
 */
export const knownObjections: readonly KnownObjection[] = [
  ...["401", "429", "500"].map((status) => unnamed("GET /v2/dlq", status)),
  ...["429", "500"].map((status) => unnamed("DELETE /v2/dlq", status)),
  ...["429", "503"].map((status) => unnamed("POST /v2/batch", status)),
  field("GET /v2/dlq", "messages[].dlqId", "interface 4.3", idReason),
  field("GET /v2/dlq/{dlqId}", "dlqId", "interface 4.3", idReason),
  field(
    "GET /v2/dlq",
    "messages[].retryDelayExpression",
    "official client",
    "The client's record has it. The document names it for logs and schedules only.",
  ),
  ...["callbackHeader", "failureCallbackHeader"].map((name) =>
    field(
      "GET /v2/dlq",
      `messages[].${name}`,
      "emulator",
      "No document names them, and a redrive has to keep them if the service lists them.",
    ),
  ),
  {
    operation: "GET /v2/dlq",
    where: "request",
    at: "query dlqIds",
    what: "parameter not described",
    wins: "official client",
    reason: "The client lists by ids. redriver does so only with `listByIds: true`, which is off by default.",
  },
  {
    operation: "GET /v2/dlq",
    where: "request",
    at: "query flowControlKey",
    what: "parameter not described",
    wins: "official client",
    reason: "The client filters by it. redriver does so only if a drain's `select` has it.",
  },
  {
    operation: "POST /v2/batch",
    where: "answer 200",
    at: "[]",
    what: "Invalid input: expected object, received array",
    wins: "interface 2.2",
    reason: "A message to a URL Group is answered with a list, an element for each endpoint.",
  },
  field(
    "POST /v2/batch",
    "[].error",
    "emulator",
    "No document says how a single message is refused. redriver takes anything without a messageId for a refusal.",
  ),
  {
    operation: "GET /v2/search/demo/stats",
    where: "request",
    at: "",
    what: "operation not described",
    wins: "interface 4.4",
    reason: "The statistics of a search index are another API of the vendor, which the document leaves out.",
  },
  {
    operation: "POST /v2/publish/{destination}",
    where: "answer 200",
    at: "",
    what: "none of the forms described",
    wins: "official client",
    reason:
      "The client takes a list for a URL Group, as a batch has it. The document has an object with messages.",
  },
  {
    operation: "POST /v2/publish/{destination}",
    where: "answer 202",
    at: "",
    what: "status not described",
    wins: "vendor's pages",
    reason: "The page about deduplication has 202 for a message that was sent before.",
  },
  ...["callerIP", "flowControlKey"].map((name) =>
    field(
      "GET /v2/logs",
      `logs[].${name}`,
      "emulator",
      "A log shows what a dead letter of the message shows.",
    ),
  ),
  {
    operation: "GET /v2/logs",
    where: "answer 200",
    at: "logs[].state",
    what: "none of the values described",
    wins: "official client",
    reason: "The client spells it CANCELED, with one L.",
  },
  ...["GET /v2/schedules", "GET /v2/schedules/{scheduleId}"].map((operation) =>
    field(
      operation,
      operation.endsWith("}") ? "callerIP" : "[].callerIP",
      "official client",
      "The client spells it callerIP, as dead letters do. The document has callerIp for schedules.",
    ),
  ),
];

function field(operation: string, at: string, wins: Winner, reason: string): KnownObjection {
  return { operation, where: "answer 200", at, what: "field not described", wins, reason };
}

/** The document has no refusals of these operations, or only 400. */
function unnamed(operation: string, status: string): KnownObjection {
  return {
    operation,
    where: `answer ${status}`,
    at: "",
    what: "status not described",
    wins: "emulator",
    reason:
      "Section 7 of the interface leaves errors open, the document leaves this one out, and a client has to survive it.",
  };
}
