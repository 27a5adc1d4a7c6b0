import { mediaTypeOf, type Exchange, type SeenAnswer, type SeenHeaders } from "./exchange.ts";
import { findOperation } from "./find-operation.ts";
import { checkCredentials, checkHeaders, checkQuery } from "./parameters.ts";
import { toSample, type Fault } from "./schemas.ts";
import type { Body, Operation, Specification } from "./specification.ts";

/** One thing that the document does not describe so. */
export interface Objection extends Fault {
  /** `POST /v2/batch`; the request's own path if no operation has it. */
  readonly operation: string;
  /** `request`, or `answer 200`. */
  readonly where: string;
}

export interface Findings {
  readonly operation: string;
  readonly objections: readonly Objection[];
  /** Described parts that this exchange had: `query count`, `header Upstash-Delay`, `answer 200`. */
  readonly seen: readonly string[];
}

export interface CheckOptions {
  /** Of the service's own headers: each has to be described. */
  readonly headerPrefix: string;
  /** Operations whose JSON body is a list of messages, with the operation that describes their headers. */
  readonly itemHeaders: Readonly<Record<string, string>>;
}

/** Everything in an exchange that the document objects to. Pure. */
export function checkExchange(
  specification: Specification,
  { request, answer }: Exchange,
  options: CheckOptions,
): Findings {
  const { operations, schemas } = specification;
  const operation = findOperation(operations, request);
  if (operation === undefined) {
    const name = `${request.method} ${request.path}`;
    const objection = {
      operation: name,
      where: "request",
      at: "",
      what: "operation not described",
      sample: "",
    };
    return { operation: name, objections: [objection], seen: [] };
  }
  const query = checkQuery(operation.parameters, new URLSearchParams(request.query), schemas);
  const headers = checkHeaders(operation.parameters, request.headers, schemas, options.headerPrefix);
  const body = checkBody(specification, operation.requestBody, request.headers, request.body);
  const items = checkItems(specification, operation, body.value, options);
  const answered = answer === null ? nothing : checkAnswer(specification, operation, answer);

  const toObjections = (where: string, faults: readonly Fault[]): readonly Objection[] =>
    faults.map((fault) => ({ operation: operation.name, where, ...fault }));
  const ofRequest = [
    ...checkCredentials(operation.credentials, request),
    ...query.faults,
    ...headers.faults,
    ...body.faults,
    ...items.faults,
  ];
  return {
    operation: operation.name,
    objections: [
      ...toObjections("request", ofRequest),
      ...toObjections(`answer ${answer?.status}`, answered.faults),
    ],
    seen: [...query.seen, ...headers.seen, ...items.seen, ...answered.seen],
  };
}

interface CheckedPart {
  readonly faults: readonly Fault[];
  readonly seen: readonly string[];
  /** What the JSON says; undefined: it is none. */
  readonly value: unknown;
}

const nothing: CheckedPart = { faults: [], seen: [], value: undefined };

const found = (what: string, body: Buffer): CheckedPart => ({
  ...nothing,
  faults: [{ at: "", what, sample: toSample(body.toString()) }],
});

function checkAnswer(specification: Specification, operation: Operation, answer: SeenAnswer): CheckedPart {
  const { status, headers, body } = answer;
  const described =
    operation.answers[status] ??
    operation.answers[`${Math.floor(status / 100)}XX`] ??
    operation.answers["default"];
  if (described === undefined) {
    return found("status not described", body);
  }
  const seen = [`answer ${status}`];
  // Without a description of its body an answer may have any.
  if (described.schemaOf.size === 0) return { ...nothing, seen };
  return { ...checkBody(specification, { ...described, isRequired: true }, headers, body), seen };
}

function checkBody(
  { schemas }: Specification,
  described: Body | undefined,
  headers: SeenHeaders,
  body: Buffer,
): CheckedPart {
  if (body.length === 0) return described?.isRequired ? found("body missing", body) : nothing;
  if (described === undefined || described.schemaOf.size === 0) return found("body not described", body);
  const type = mediaTypeOf(headers);
  const schema = described.schemaOf.get(type);
  if (schema === undefined) return found(`media type ${type} not described`, body);
  if (!/[/+]json$/.test(type)) return nothing;
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return found("no JSON", body);
  }
  return { faults: schemas.faultsOf(schema, value), seen: [], value };
}

/** The service reads the headers of each message of a batch as those of a message that is published alone. */
function checkItems(
  { operations, schemas }: Specification,
  { name }: Operation,
  value: unknown,
  { itemHeaders, headerPrefix }: CheckOptions,
): Pick<CheckedPart, "faults" | "seen"> {
  const single = operations.find((one) => one.name === itemHeaders[name]);
  if (single === undefined || !Array.isArray(value)) return nothing;
  const checked = value.map((item: { readonly headers?: Readonly<Record<string, unknown>> } | null) => {
    // One that is no text has met the schema of the body.
    const headers = Object.entries(item?.headers ?? {}).flatMap(([key, text]) =>
      typeof text === "string" ? [[key, [text]] as const] : [],
    );
    return checkHeaders(single.parameters, Object.fromEntries(headers), schemas, headerPrefix);
  });
  return {
    faults: checked.flatMap(({ faults }) => faults.map((fault) => ({ ...fault, at: `item ${fault.at}` }))),
    seen: checked.flatMap(({ seen }) => seen.map((one) => `item ${one}`)),
  };
}
