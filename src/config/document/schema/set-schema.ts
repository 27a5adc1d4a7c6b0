import * as z from "zod";
import { defined } from "../../../job/message/defined.ts";
import { isCallbackUrl, isDestination } from "../../../job/message/destination-url.ts";
import { hasPlaceholder, hostText, parseHost, slipInHost } from "../../../job/message/host-and-path.ts";
import {
  isForwardable,
  isFieldValue,
  isToken,
  lineageHeaderName,
  rootIdHeaderName,
} from "../../../job/message/headers.ts";
import type { BodyChange, ItemChanges } from "../../../job/message/item-changes.ts";
import { parsePointer } from "../../../job/message/json-pointer.ts";
import { orExpected, type Parsed } from "../../../job/rules/parsed.ts";
import { isJsonPath, pointerExpected } from "./propose-pointer.ts";
import { flowControl, toFlowControl } from "./flow-control-schema.ts";
import {
  duration,
  headerName,
  ifClean,
  key,
  line,
  oneOf,
  parsed,
  positiveDuration,
  notEmpty,
  section,
  setOf,
  wholeNumber,
  jsonValue,
} from "./building-blocks.ts";

const headerValue = z
  .string("text, quote it if it looks like a number, true, false or null, or null to remove the header")
  .max(8_192, "text of at most 8192 characters")
  .refine(isFieldValue, "text that a header can hold")
  .nullable();

/** What redriver or HTTP itself writes. The service's own prefix is a setting; checkHeaders knows it. */
const noPrefix = " ";
const changedHeaderName = headerName.refine(
  (header) => isForwardable(header, noPrefix),
  `a header that a rule may set: not ${lineageHeaderName}, ${rootIdHeaderName}, Host, Content-Length, User-Agent or one of the connection`,
);

/** A URL Group is not among these: it would deliver to every endpoint again, also to those that had succeeded. */
const destinationExpected =
  "an http(s) address without user and password, or a mapping of scheme, host, path";

const destinationUrl = parsed(
  (value): Parsed<string> => {
    const [, scheme = "", host = "", rest = ""] =
      (typeof value === "string" ? /^(https?:\/\/)([^/?#@]+)(.*)$/isu.exec(value) : null) ?? [];
    const spelled = scheme === "" ? null : spellHost(host);
    if (spelled !== null && !spelled.ok) return spelled;
    const address = spelled === null ? value : `${scheme}${spelled.value}${rest}`;
    return toAddressParser(destinationExpected, isDestination)(address);
  },
  { type: "string", format: "uri" },
);

const destinationParts = section({
  scheme: oneOf(["http", "https"]).optional(),
  host: parsed(spellHost, { type: "string", minLength: 1 }).optional(),
  path: line("a path that begins with /")
    .regex(/^\/[^\s?#]*$/, "a path that begins with /, without ?, # and spaces (%20)")
    .optional(),
})
  .refine(...notEmpty("at least one of scheme, host, path"))
  .transform((parts) => defined(parts));

function spellHost(value: unknown): Parsed<string> {
  const text = typeof value === "string" ? value : "";
  const host = text.length > 300 ? null : parseHost(text);
  const slip = slipInHost(text);
  if (host !== null && slip === null) return { ok: true, value: hostText(host) };
  const why = host === null || slip === null ? "" : ` (${slip})`;
  return { ok: false, expected: `a host, with a port if needed, such as api.example.com:8443${why}` };
}

const callbackExpected = "an http(s) address, or null for none";
const callback = parsed(toAddressParser(callbackExpected, isCallbackUrl), { type: "string", format: "uri" });

function toAddressParser(expected: string, fits: (url: string) => boolean) {
  const isFit = (url: string): boolean => url.length <= 2_048 && fits(url) && !hasPlaceholder(url);
  return (value: unknown) => orExpected(typeof value === "string" && isFit(value) ? value : null, expected);
}

const patchPointer = "a JSON pointer such as /tenant or /items/-";
const pointer = z
  .string(patchPointer)
  .max(2_048, patchPointer)
  .refine((text) => parsePointer(text) !== null && !isJsonPath(text), {
    error: ({ input }) => pointerExpected(String(input)),
  });

const operation = z.discriminatedUnion(
  "op",
  [
    section({ op: z.enum(["add", "replace", "test"]), path: pointer, value: jsonValue }),
    section({ op: z.literal("remove"), path: pointer }),
    section({ op: z.enum(["move", "copy"]), from: pointer, path: pointer }),
  ],
  "a mapping with op: add, replace, test, remove, move or copy (RFC 6902)",
);

const bodyExpected = "either merge (a mapping, RFC 7396) or patch (a list of operations, RFC 6902)";
const body = section({
  merge: key(
    jsonValue.refine(
      (value) => typeof value === "object" && value !== null && !Array.isArray(value),
      "a mapping (RFC 7396): its values replace, null removes",
    ),
    "RFC 7396: values replace, null removes.",
  ),
  patch: key(
    z
      .array(operation, "a list of operations (RFC 6902)")
      .min(1, "at least one operation")
      .max(1_000, "at most 1000 operations"),
    "RFC 6902 operations, in order.",
  ),
})
  .refine((change) => (change.merge === undefined) !== (change.patch === undefined), ifClean(bodyExpected))
  .transform(({ merge = {}, patch }): BodyChange =>
    patch === undefined ? { kind: "merge", value: merge } : { kind: "patch", operations: patch },
  );

const label = line("a label").refine(
  (text) => !text.includes(","),
  "a label without a comma, which the service would read as several; give a list",
);

export const changes = section({
  destination: key(
    z.union([destinationParts, destinationUrl], destinationExpected),
    "Where it goes instead: a whole address, or parts that replace those of the original.",
  ),
  queue: key(line("the name of a queue, or null for none").nullable(), "Queue; null takes it off its queue."),
  method: key(
    z
      .string("an HTTP method")
      .max(32, "an HTTP method")
      .refine(isToken, "an HTTP method")
      .transform((method) => method.toUpperCase()),
    "HTTP method.",
  ),
  headers: key(
    z.record(changedHeaderName, headerValue, "a mapping of header names to values"),
    "Headers to set, or to remove with null.",
  ),
  body: key(body, "An edit of a JSON body."),
  delay: key(
    z.union(
      [
        section({ spread: positiveDuration }).transform(({ spread: ms }) => ({
          kind: "spread" as const,
          ms,
        })),
        duration.transform((ms) => ({ kind: "fixed" as const, ms })),
      ],
      "a duration such as 30s, or { spread: 10m }",
    ),
    "Delivered after this; { spread } is a different part of that time for each message.",
  ),
  retries: key(wholeNumber(0, 100), "Retries after the first attempt."),
  retryDelay: key(
    line("an expression in ms over retried, such as 1000 * (1 + retried), or null for none").nullable(),
    "The service's expression for the time between retries; null removes it.",
  ),
  timeout: key(positiveDuration, "How long a delivery may take; whole seconds.").refine(
    (ms) => (ms ?? 0) % 1_000 === 0,
    "a timeout of whole seconds",
  ),
  callback: key(callback.nullable(), "Callback address; null removes it."),
  failureCallback: key(callback.nullable(), "Failure callback address; null removes it."),
  labels: key(setOf(label, "a label"), "Its labels."),
  flowControl: key(
    flowControl.transform(toFlowControl).nullable(),
    "Flow control, so that what is redriven has a share of its own; null removes it.",
  ),
})
  .refine(...notEmpty("at least one change"))
  .transform(({ timeout, ...others }): ItemChanges => defined({ ...others, timeoutMs: timeout }));
