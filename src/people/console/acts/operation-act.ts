/** The form of an operation, from its declaration. */
import { defined } from "../../../job/message/defined.ts";
import {
  fieldsOf,
  parseInput,
  toFieldValue,
  type FieldFace,
  type Operation,
} from "../../operations/define.ts";
import { nameOf } from "../../operations/load-operations.ts";
import { perform, type Performed } from "../../operations/perform.ts";
import { areas, type Area } from "../screen.ts";
import type { Act, ActField, Doing, Done, ShownOnce, Values } from "./act.ts";
import { toOperationLine, toSent } from "../../operations/command-line.ts";
import { toShown } from "./shown-result.tsx";

export function toAct(operation: Operation): Act {
  const { words, title, role, reasonOf, mayHaveReason = false, costs } = operation;
  return {
    name: nameOf(operation),
    title,
    area: areaOf(words),
    role,
    asksReason: reasonOf !== null,
    fields: [
      ...fieldsOf(operation).map(([name, , face]) => toActField(name, face)),
      ...(mayHaveReason ? [optionalReason] : []),
    ],
    ...(costs === undefined ? {} : { about: costs }),
    command: (values) => toOperationLine(operation, withOthers(operation, values)),
    run: async (values, doing) => toDone(operation, await performForm(operation, values, doing)),
  };
}

const optionalReason: ActField = {
  name: "reason",
  label: "Reason",
  kind: "text",
  hint: "If there is one. Written into the audit.",
};

/** Throws `command-misused`, with the field as the form names it. */
function performForm(operation: Operation, sent: Values, doing: Doing): Promise<Performed> {
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
  const reason = values["reason"] ?? "";
  const plans = (): Promise<Doing["plans"]> => Promise.resolve(doing.plans);
  return perform(operation, { ...doing, plans, stopping: doing.signal, input, reason, isWhole: true });
}

function withOthers(operation: Operation, values: Values): Values {
  const others = fieldsOf(operation).filter(
    ([, , { insteadOf }]) => insteadOf !== undefined && values[insteadOf] === undefined,
  );
  return { ...values, ...Object.fromEntries(others.map(([name]) => [name, "true"])) };
}

const ofEveryForm: ReadonlySet<string> = new Set(["formToken", "back", "by", "reason"]);

/** Pages of the navigation are named after the first word of a command; the brake is on the first page. */
function areaOf(words: string): Area {
  const first = words.split(" ", 1)[0];
  if (first === "lanes") return "failures";
  if (first === "plan" || first === "apply") return "plans";
  if (first === "content") return "parked";
  return areas.find((area) => area === first) ?? "now";
}

function toActField(name: string, face: FieldFace): ActField {
  const { label, choices, isOpen = false, preset, about } = face;
  if (label === undefined) return { name, label: name, kind: "hidden" };
  const common = { name, label, ...defined({ choices, preset }) };
  if (choices !== undefined && !isOpen) return { ...common, kind: "choice" };
  return { ...common, kind: "text", hint: about };
}

function toDone(
  { words, title, isReading = false, page }: Operation,
  { done, refused, warnings, results }: Performed,
): Done | ShownOnce {
  const isRefused = done.length === 0 && refused.length > 0;
  if (isReading && !isRefused) return toShown(words, title, results);
  const [row] = results;
  const next = row === undefined ? undefined : page?.(row);
  return { said: [...done, ...refused, ...warnings].join("; "), isRefused, ...defined({ next }) };
}
