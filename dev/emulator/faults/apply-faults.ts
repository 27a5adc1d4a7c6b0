import { errorFor, limitHeaders, type EmulatorAnswer, type Reply } from "../http/answers.ts";
import type { Operation } from "../journal.ts";
import { newMessageId } from "../publish/message.ts";
import type { FaultOf, Faults } from "./faults.ts";

/**
 * One operation between its faults, in this order: latency · before it takes effect: stall, drop, status ·
 * the operation · after it took effect: spoiled answer, stall, drop, status, cut, stall in the body. An
 * operation that was refused has no effect, so nothing "after" applies to it. A request that was stalled
 * before its effect takes effect when it is let go, although its client may be gone: that is how a publish
 * given up by its sender still happens.
 */
export async function applyFaults(
  faults: Faults,
  operation: Operation,
  now: () => number,
  perform: () => EmulatorAnswer | Promise<EmulatorAnswer>,
): Promise<Reply> {
  const latency = faults.draw("latency", operation);
  if (latency !== undefined) {
    const { ms, toMs = ms } = latency.fault;
    if ((await latency.hold(toMs > ms ? latency.between(ms, toMs) : ms)) === "ended") return hangUp;
  }
  const before = await disturb(faults, operation, "before", now);
  if (before !== undefined) return before;

  const answer = await perform();
  if (answer.status >= 300) return answer;

  const spoiled = spoilAnswer(faults, operation, answer);
  const after = await disturb(faults, operation, "after", now);
  if (after !== undefined) return after;
  const cut = faults.draw("cut-answer", operation);
  if (cut !== undefined) return { hangUp: cut.fault.close, inTheMiddleOf: spoiled };
  const stall = faults.draw("stall-answer", operation, ({ at }) => at === "body");
  if (stall === undefined) return spoiled;
  return { pauseIn: spoiled, goesOn: stall.hold(stall.fault.forMs).then((how) => how === "released") };
}

const hangUp = { hangUp: "fin" } as const;

async function disturb(
  faults: Faults,
  operation: Operation,
  when: "before" | "after",
  now: () => number,
): Promise<Reply | undefined> {
  const concerns = (fault: { readonly when: "before" | "after" }): boolean => fault.when === when;
  const stall = faults.draw("stall-answer", operation, (fault) => fault.at === "head" && concerns(fault));
  if ((await stall?.hold(stall.fault.forMs)) === "ended") return hangUp;
  const drop = faults.draw("drop-answer", operation, concerns);
  if (drop !== undefined) return { hangUp: drop.fault.close };
  const status = faults.draw("status", operation, concerns);
  if (status !== undefined) return statusAnswer(operation, status.fault, now());
  if (when === "after" && faults.draw("delete-works-answers-500", operation) !== undefined) {
    return errorFor(operation, 500, "internal error");
  }
  return undefined;
}

function statusAnswer(operation: Operation, fault: FaultOf<"status">, now: number): EmulatorAnswer {
  const { status, limit, resetInS, body, headers = {} } = fault;
  const error = fault.error ?? (status === 429 ? "rate limit exceeded" : `answered ${status} on demand`);
  const reset = Math.ceil(now / 1_000) + resetInS;
  const limits = limit === undefined ? {} : limitHeaders(limit, 100, reset);
  const answer = errorFor(operation, status, error, { ...limits, ...headers });
  return body === undefined ? answer : { ...answer, body };
}

function spoilAnswer(faults: Faults, operation: Operation, answer: EmulatorAnswer): EmulatorAnswer {
  const { headers } = faults.draw("headers", operation)?.fault ?? {};
  const batch = operation === "batch" ? spoilBatch(faults, answer) : answer;
  const spoiled = headers === undefined ? batch : { ...batch, headers: { ...batch.headers, ...headers } };
  if (faults.draw("malformed-json", operation) === undefined) return spoiled;
  const text = spoiled.body.toString();
  return { ...spoiled, body: `${text.slice(0, text.length - 1)},` };
}

function spoilBatch(faults: Faults, answer: EmulatorAnswer): EmulatorAnswer {
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
