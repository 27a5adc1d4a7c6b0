import * as z from "zod";
import { parseServiceUrl } from "../service-url.ts";
import { rule } from "./rule-schema.ts";
import { drainSchedule, duration, indexSchedule, positiveDuration } from "./schedule-schema.ts";
import {
  flag,
  ifClean,
  line,
  name,
  oneOf,
  oneOrMany,
  parsed,
  refusedKey,
  saysSomething,
  section,
  unsupported,
  wholeNumber,
} from "./shapes.ts";

const environmentName = line("the name of an environment variable").regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/, {
  error: "the name of an environment variable",
});

const secretExpected =
  "{ file: /path/of/a/file } or { env: NAME_OF_A_VARIABLE }; a secret never stands in the document itself";

/** Where a secret is read from. Exactly one key, so that nobody wonders which one counts. */
const secretRef = z
  .strictObject(
    { file: line("the path of a file").optional(), env: environmentName.optional() },
    { error: (issue) => (issue.code === "unrecognized_keys" ? "file,env" : secretExpected) },
  )
  .refine((ref) => (ref.file === undefined) !== (ref.env === undefined), ifClean(secretExpected));

const source = section({
  url: parsed(parseServiceUrl, { type: "string", format: "uri" }).optional(),
  id: name.optional(),
  token: secretRef.optional(),
  retention: positiveDuration.optional(),
  dedupWindow: positiveDuration.optional(),
  census: unsupported(),
});

const attempts = section({
  max: wholeNumber(1, 1_000).optional(),
  wait: oneOrMany(duration, "a duration such as 2m").optional(),
  then: oneOf(["park", "hold"]).optional(),
});

/** What `defaults` and every drain may say. */
const common = {
  mode: oneOf(["plan", "live"]).optional(),
  schedule: drainSchedule.optional(),
  minAge: duration.optional(),
  attempts: attempts.optional(),
  unknownOutcome: oneOf(["republish", "park"]).optional(),
  otherwise: oneOf(["hold", "park"]).optional(),
  lane: unsupported(),
  limits: unsupported(),
  onLoss: unsupported(),
  beforeExpiry: unsupported(),
};

/** Set by redriver for each window and page; a drain that set them would list something else than its passes believe. */
const ownParameter = refusedKey("set by redriver itself, for each window and page");

const status = wholeNumber(0, 999);
/** The service splits values at commas (service-interface.md 4.2, rule 3), so one with a comma would select other records. */
const word = line("text, in quotes where it looks like a number").refine((text) => !text.includes(","), {
  error: "one value without a comma, which the service would read as several; give a list",
});
const words = oneOrMany(word, "text (in quotes where it looks like a number)").optional();

/** The filters of GET /v2/dlq by their own names (service-interface.md 4.2). */
const select = section({
  messageId: word.optional(),
  url: words,
  topicName: words,
  scheduleId: words,
  queueName: words,
  responseStatus: oneOrMany(status, "a status code").optional(),
  callerIp: words,
  label: words,
  fromDate: ownParameter,
  toDate: ownParameter,
  cursor: ownParameter,
  count: ownParameter,
});

const drain = section({
  source: name.optional(),
  paused: flag.optional(),
  ...common,
  select: select.optional(),
  rules: z.array(rule, { error: "a list of rules" }).max(1_000, { error: "at most 1000 rules" }).optional(),
  guards: unsupported(),
  tests: unsupported(),
});

const index = section({
  id: line("the id of the index").regex(/^[A-Za-z0-9._~-]{1,255}$/, {
    error: "the id of the index, as in its address",
  }),
  credentials: section({ user: secretRef, password: secretRef }),
  schedule: indexSchedule.optional(),
  period: oneOf(["1h", "3h", "12h", "1d", "3d", "7d", "30d"]).optional(),
});

function namedMap<Value extends z.ZodType>(value: Value, what: string) {
  return z
    .record(name, value, { error: `a mapping of names to ${what}` })
    .refine((map) => Object.keys(map).length <= 500, ifClean(`at most 500 ${what}`));
}

export const documentSchema = section({
  version: z.literal(1, { error: "1" }),
  paused: flag.optional(),
  archive: unsupported(),
  sources: namedMap(source.nullable(), "sources").refine(
    ...saysSomething("at least one source, such as default: {}"),
  ),
  defaults: section(common).optional(),
  drains: namedMap(drain, "drains"),
  indexes: namedMap(index, "indexes").optional(),
});

export type DocumentKeys = z.output<typeof documentSchema>;
export type SourceKeys = z.output<typeof source>;
export type DrainKeys = z.output<typeof drain>;
export type CommonKeys = Pick<
  DrainKeys,
  "mode" | "schedule" | "minAge" | "attempts" | "unknownOutcome" | "otherwise"
>;
export type IndexKeys = z.output<typeof index>;
export type SecretRefKeys = z.output<typeof secretRef>;

/** JSON Schema of the document, for editors (`redriver rules schema`). */
export function documentJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(documentSchema, { io: "input", reused: "ref" }) as Record<string, unknown>;
}
