import { isCount, isObject } from "../message/json-value.ts";
import type { ListPage, FlowKey, ServiceLoad } from "../contracts/service.ts";
import { parseJsonBody } from "./http-answer.ts";
import { parseListAnswer } from "./parse-list-answer.ts";
import { withoutTokenInIds } from "./sanitise-ids.ts";

export type Shaped<Value> =
  | { readonly kind: "value"; readonly value: Value }
  /** `isForeign`: it is no JSON object, so it may not come from the service. */
  | { readonly kind: "problem"; readonly problem: string; readonly isForeign?: true };

/** `{messages: [{…}], cursor?}`. An empty or null cursor is the end, as none is (remote-contract.md, GET). */
export function parseListPage(bytes: Uint8Array, token: string): Shaped<ListPage> {
  const parsed = parseListAnswer(bytes);
  if (!isObject(parsed)) return problem("expected a JSON object, got something else");
  const { messages, cursor } = parsed;
  if (!Array.isArray(messages)) return problem("expected `messages` to be an array, got something else");
  // What is no object is a record without an id: its neighbours go on.
  const objects = messages.map((one: unknown) => (isObject(one) ? one : { listed: one }));
  const records = withoutTokenInIds(objects, token);
  const page = { records, bytes: bytes.byteLength };
  if (cursor === undefined || cursor === null || cursor === "") return { kind: "value", value: page };
  if (typeof cursor !== "string" || !cursor.isWellFormed()) {
    return problem("expected `cursor` to be a string, got something else");
  }
  return { kind: "value", value: { ...page, cursor } };
}

export function parseDeleted(bytes: Uint8Array, asked: number): Shaped<{ readonly deleted: number }> {
  const parsed = parseJsonBody(bytes);
  if (!isObject(parsed)) return { ...problem("expected a JSON object, got something else"), isForeign: true };
  const { deleted } = parsed;
  if (!isCount(deleted)) return problem("expected `deleted` to be a whole number, got something else");
  // A larger number means that the service did not read the ids as ids.
  if (deleted > asked) return problem(`expected at most ${asked} deleted, got ${deleted}`);
  return { kind: "value", value: { deleted } };
}

/** Documented in one place only, so that other names and texts of digits are taken too. */
const countNames = ["parallelismCount", "parallelism", "count", "current", "active"];
const maxNames = ["parallelismMax", "maxParallelism", "max", "limit"];

/** The answer of GET /v2/globalParallelism: `{parallelismCount, parallelismMax}`. */
export function parseLoad(bytes: Uint8Array): Shaped<ServiceLoad> {
  const parsed = parseJsonBody(bytes);
  if (!isObject(parsed)) return problem("expected a JSON object, got something else");
  const [count, max] = [numberIn(parsed, countNames), numberIn(parsed, maxNames)];
  if (count === undefined || max === undefined || max === 0) {
    return problem(
      "expected `parallelismCount` and `parallelismMax` to be whole numbers, got something else",
    );
  }
  return { kind: "value", value: { count, max } };
}

/** The answer of GET /v2/flowControl: an array of `{flowControlKey, isPaused, waitListSize}`. */
export function parseFlowKeys(bytes: Uint8Array): Shaped<readonly FlowKey[]> {
  const parsed = parseJsonBody(bytes);
  if (!Array.isArray(parsed)) return problem("expected a JSON array, got something else");
  const keys = parsed.filter(isObject).flatMap((one) => {
    const { flowControlKey: key, isPaused = false } = one;
    const waiting = numberIn(one, ["waitListSize"]) ?? null;
    return typeof key === "string" && typeof isPaused === "boolean" ? [{ key, isPaused, waiting }] : [];
  });
  if (keys.length === parsed.length) return { kind: "value", value: keys };
  return problem("expected objects with `flowControlKey` and `isPaused`, got something else");
}

function numberIn(fields: Readonly<Record<string, unknown>>, names: readonly string[]): number | undefined {
  const value = names.map((name) => fields[name]).find((one) => one !== undefined);
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return isCount(number) ? number : undefined;
}

function problem(text: string): Extract<Shaped<never>, { kind: "problem" }> {
  return { kind: "problem", problem: text };
}
