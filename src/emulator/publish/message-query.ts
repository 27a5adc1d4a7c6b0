import { z } from "zod";
import { isSaidOnce } from "../http/said-once.ts";
import { severalValues } from "../http/query-parameters.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { accept } from "../http/json-body.ts";
import type { Message } from "./message.ts";

/** Which pending messages a bulk cancel concerns; without ids and filters all of them. */
export type MessageQuery =
  | { readonly messageIds: readonly string[] }
  | { readonly concerns: (message: Message) => boolean };

type Values = (message: Message) => readonly (string | undefined)[];

const filters: Readonly<Record<string, Values>> = {
  url: ({ url }) => [url],
  host: ({ url }) => [new URL(url).host, new URL(url).hostname],
  path: ({ url }) => [new URL(url).pathname],
  topicName: ({ topicName }) => [topicName],
  queueName: ({ queueName }) => [queueName],
  scheduleId: ({ settings }) => [settings.scheduleId],
  callerIp: ({ callerIp }) => [callerIp],
  callerIP: ({ callerIp }) => [callerIp],
  label: ({ settings }) => settings.labels,
  flowControlKey: ({ settings }) => [settings.flowControl?.key],
};

/** `count`, `cursor` and `async` are taken and change nothing: one call cancels everything that matches. */
const single = ["fromDate", "toDate", "count", "cursor", "async"];
const others: ReadonlySet<string> = new Set(["messageIds", ...single]);
const idsBody = z.strictObject({ messageIds: z.array(z.string()).min(1) });

/** Reads the query of a bulk cancel, or the ids in its JSON body; refuses with 400 whatever it does not know. */
export function parseMessageQuery(query: URLSearchParams, body: Buffer): MessageQuery {
  const unknown = [...query.keys()].find((name) => !Object.hasOwn(filters, name) && !others.has(name));
  if (unknown !== undefined) throw new EmulatorRefusal(400, `unknown query parameter: ${unknown}`);
  const repeated = single.find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined)
    throw new EmulatorRefusal(400, `query parameter ${repeated} cannot be repeated`);
  const bodyIds = idsIn(body);
  if (bodyIds !== undefined && query.has("messageIds")) {
    throw new EmulatorRefusal(400, "messageIds can be given in the query or in the body, not in both");
  }
  const messageIds = bodyIds ?? valuesOf(query, "messageIds");
  if (messageIds !== undefined) return { messageIds: [...new Set(messageIds)] };

  const from = momentOf(query, "fromDate") ?? Number.NEGATIVE_INFINITY;
  const to = momentOf(query, "toDate") ?? Number.POSITIVE_INFINITY;
  const wanted = Object.entries(filters).flatMap(([name, values]) => {
    const given = valuesOf(query, name);
    return given === undefined ? [] : [{ given: new Set<string | undefined>(given), values }];
  });
  return {
    concerns: (message) =>
      message.createdAt >= from &&
      message.createdAt <= to &&
      wanted.every(({ given, values }) => values(message).some((value) => given.has(value))),
  };
}

/** A body without a single id would otherwise read as "all messages". */
function idsIn(body: Buffer): string[] | undefined {
  if (body.length === 0) return undefined;
  const text = body.toString("utf8");
  let payload: unknown;
  try {
    payload = JSON.parse(text) as unknown;
  } catch {
    throw new EmulatorRefusal(400, "request body is not valid JSON");
  }
  const { messageIds } = accept(idsBody, payload);
  if (!isSaidOnce(text, messageIds)) throw new EmulatorRefusal(400, "messageIds: expected once");
  return messageIds;
}

/** A URL may contain commas, so only one that a scheme follows separates. */
const separatorOf = (name: string): RegExp => (name === "url" ? /,(?=https?:\/\/)/i : /,/);

function valuesOf(query: URLSearchParams, name: string): string[] | undefined {
  return severalValues(query.getAll(name), separatorOf(name));
}

function momentOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw new EmulatorRefusal(400, `${name} must be an integer: ${text}`);
  return Number(text);
}
