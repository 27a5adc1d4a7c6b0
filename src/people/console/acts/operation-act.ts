/** The form of an operation, from its declaration: what its fields mean, and what became of it. */
import { defined } from "../../../job/message/defined.ts";
import { fieldsOf, parseInput, toFieldValue, type Operation, type Texts } from "../../operations/define.ts";
import { toOperationLine, toSent } from "../../operations/command-line.ts";
import { nameOf } from "../../operations/load-operations.ts";
import { perform, type Performed } from "../../operations/perform.ts";
import type { ScreenContext } from "../screen.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import { toShown, type ShownOnce } from "../parts/message-content.tsx";

interface Doing extends Pick<ScreenContext, "core" | "plans" | "now" | "signal"> {
  /** Who, for the audit. */
  readonly by: string;
  /** Asks the daemons to look at the lanes of a source now. */
  readonly requestSweep: (source: SourceId) => Promise<void>;
}

interface Done {
  /** What was done, for the person. */
  readonly said: string;
  /** What was asked for cannot be done now, and was not. */
  readonly isRefused: boolean;
  /** Where to go on; default: the page that the form was on. */
  readonly next?: string;
}

/** Takes the form. Below it, `/command` answers the command of what the form has now. */
export function toActPath(operation: Operation): string {
  return `/acts/${nameOf(operation)}`;
}

/** The command that does the same. `values`: of the form's fields, and `reason`. A field that was left empty is missing. */
export function toFormLine(operation: Operation, values: Texts): string {
  return toOperationLine(operation, withOthers(operation, values));
}

/** Throws a RedriverError: `command-misused` for values that cannot be meant, with the field as the form names it. */
export async function performForm(
  operation: Operation,
  sent: Texts,
  doing: Doing,
): Promise<Done | ShownOnce> {
  const values = withOthers(operation, sent);
  // What is no field is refused: a page of an older version may name a drain in another way.
  const read: Record<string, unknown> = Object.fromEntries(
    Object.entries(values).filter(([name]) => !ofEveryForm.has(name)),
  );
  const labels = new Map<string, string>();
  for (const [name, schema, face] of fieldsOf(operation)) {
    const text = toSent(values[name], face);
    if (text !== undefined) read[name] = toFieldValue(schema, text, face);
    labels.set(name, face.label ?? name);
  }
  const input = parseInput(operation, read, (name) => labels.get(name) ?? name);
  const { signal } = doing;
  const plans = (): Promise<Doing["plans"]> => Promise.resolve(doing.plans);
  const call = { ...doing, plans, stopping: signal, input, reason: values["reason"] ?? "", isWhole: true };
  return toDone(operation, await perform(operation, call));
}

function withOthers(operation: Operation, values: Texts): Texts {
  const others = fieldsOf(operation).filter(
    ([, , { insteadOf }]) => insteadOf !== undefined && values[insteadOf] === undefined,
  );
  return { ...values, ...Object.fromEntries(others.map(([name]) => [name, "true"])) };
}

const ofEveryForm: ReadonlySet<string> = new Set(["formToken", "back", "by", "reason"]);

function toDone(
  { isReading = false, page }: Operation,
  { done, refused, warnings, results }: Performed,
): Done | ShownOnce {
  const isRefused = done.length === 0 && refused.length > 0;
  if (isReading && !isRefused) return toShown(results);
  const [row] = results;
  const next = row === undefined ? undefined : page?.(row);
  return { said: [...done, ...refused, ...warnings].join("; "), isRefused, ...defined({ next }) };
}
