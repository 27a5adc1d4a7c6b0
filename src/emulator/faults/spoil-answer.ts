import type { HttpAnswer } from "../http/exchange.ts";
import { newMessageId } from "../ids.ts";
import type { Operation } from "../journal.ts";
import type { Faults } from "./faults.ts";

/** The answer as those faults leave it that lie about what happened. */
export function spoilAnswer(faults: Faults, operation: Operation, answer: HttpAnswer): HttpAnswer {
  const { headers } = faults.draw("headers", operation)?.fault ?? {};
  const batch = operation === "batch" ? spoilBatch(faults, answer) : answer;
  const spoiled = headers === undefined ? batch : { ...batch, headers: { ...batch.headers, ...headers } };
  if (faults.draw("malformed-json", operation) === undefined) return spoiled;
  const text = spoiled.body.toString();
  return { ...spoiled, body: `${text.slice(0, text.length - 1)},` };
}

function spoilBatch(faults: Faults, answer: HttpAnswer): HttpAnswer {
  const short = faults.draw("short-answer", "batch");
  const long = faults.draw("long-answer", "batch");
  const reordered = faults.draw("reordered-answer", "batch");
  if (short === undefined && long === undefined && reordered === undefined) return answer;
  let items = JSON.parse(answer.body.toString()) as unknown[];
  if (short !== undefined) items = items.slice(0, Math.max(0, items.length - short.fault.by));
  for (let extra = long?.fault.by ?? 0; extra > 0; extra--) items.push({ messageId: newMessageId() });
  if (reordered !== undefined) items = items.toReversed();
  return { ...answer, body: JSON.stringify(items) };
}
