/** A redriven message comes back with the flow control it was sent under; its lineage has the root's. */
import type { DeadLetter } from "./dead-letter.ts";
import { defined } from "./defined.ts";
import type { FlowControl } from "./item-changes.ts";
import type { Lineage, LineageReading } from "./lineage.ts";

/** The value of a flow control header. A period only has a meaning beside a rate. Empty if nothing limits. */
export function toFlowControlValue({ parallelism, rate, periodMs }: FlowControl): string {
  return [
    ...(parallelism === undefined ? [] : [`parallelism=${parallelism}`]),
    ...(rate === undefined ? [] : [`rate=${rate}`]),
    ...(rate === undefined || periodMs === undefined ? [] : [`period=${Math.ceil(periodMs / 1_000)}s`]),
  ].join(", ");
}

export function originalFlowControl(letter: DeadLetter): FlowControl | undefined {
  const { flowControlKey: key, parallelism, rate, period } = letter;
  if (key === undefined) return undefined;
  return defined({ key, parallelism, rate, periodMs: period === undefined ? undefined : period * 1_000 });
}

/** The value for the next lineage; absent if the message keeps its own. `change`: null removes it. */
export function toRootFlowControl(
  letter: DeadLetter,
  change: FlowControl | null | undefined,
): Pick<Lineage, "rootFlowControl"> {
  return isReplaced(letter, change) ? { rootFlowControl: originalFlowControl(letter) ?? null } : {};
}

/** True if it is sent under another flow control than its own, or under one although it had none. */
export function isReplaced(letter: DeadLetter, change: FlowControl | null | undefined): boolean {
  return change !== undefined && toText(change ?? undefined) !== toText(originalFlowControl(letter));
}

export function withRootFlowControl(letter: DeadLetter, reading: LineageReading): DeadLetter {
  if (reading.kind !== "come-back" || reading.lineage.rootFlowControl === undefined) return letter;
  const { flowControlKey: _key, parallelism: _parallelism, rate: _rate, period: _period, ...rest } = letter;
  const root = reading.lineage.rootFlowControl;
  if (root === null) return rest;
  const { key: flowControlKey, parallelism, rate, periodMs } = root;
  const period = periodMs === undefined ? undefined : periodMs / 1_000;
  return { ...rest, ...defined({ flowControlKey, parallelism, rate, period }) };
}

/** A key without a value is listed but cannot be published: it limits nothing. */
function toText(flow: FlowControl | undefined): string {
  const value = flow === undefined ? "" : toFlowControlValue(flow);
  return flow === undefined || value === "" ? "" : `${flow.key}: ${value}`;
}
