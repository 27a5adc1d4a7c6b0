import { createHash } from "node:crypto";
import { whyNot } from "../access/person.ts";
import { defined } from "../../../job/message/defined.ts";
import {
  fieldsOf,
  maxReasonCharacters,
  type FieldFace,
  type Operation,
  type Texts,
} from "../../operations/define.ts";
import { nameOf } from "../../operations/load-operations.ts";
import { toActPath, toFormLine } from "../acts/operation-act.ts";
import { toFieldText } from "../field-text.ts";
import type { Html, ScreenContext } from "../screen.ts";
import { CommandLine } from "./text.tsx";

type Choices = NonNullable<FieldFace["choices"]>;

interface FormField {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "choice" | "hidden";
  readonly choices?: Choices;
  readonly isRequired?: boolean;
  /** Its value until somebody changes it. */
  readonly preset?: string;
  readonly hint?: string;
}

interface ActFormProps {
  readonly act: Operation;
  /** Values that are known: hidden fields, and what others begin with. */
  readonly values: Texts;
  readonly context: ScreenContext;
  /** Why it cannot be done now, whoever asks: then it is not drawn. Null: it can be done. */
  readonly disabled?: string | null;
  /** The reason is news to who looks for the form, so it stands in its place. */
  readonly saysWhy?: boolean;
  /** How it stands out; default: not at all. */
  readonly look?: "primary" | "brake" | "quiet" | "";
  /** What is written on it here, such as how many it is about; default: the act's title. */
  readonly title?: string;
  /** Its page is about it: nobody has to open it first. */
  readonly isOpen?: boolean;
  /** Fields that nobody fills here: they have the value that is known, or none. */
  readonly hides?: readonly string[];
  /** Choices of its fields here, by field. */
  readonly choices?: Readonly<Record<string, Choices>>;
}

/** A form that opens on a click, also without a script. What cannot be done, or not by this person, is not drawn. */
export function ActForm({
  act,
  values,
  context,
  disabled = null,
  saysWhy = false,
  look = "",
  title = act.title,
  isOpen = false,
  hides = [],
  choices = {},
}: ActFormProps): Html | null {
  const { person, url, formToken, rememberedName } = context;
  const why = whyNot(person, act.role) ?? disabled;
  if (why !== null) {
    return saysWhy ? (
      <p class="hint">
        {title}: {why}
      </p>
    ) : null;
  }
  const of = toIdPart(values);
  const actName = nameOf(act);
  const all = [
    ...fieldsOf(act).map(([name, , face]) => toFormField(name, face)),
    ...(act.mayHaveReason === true ? [optionalReason] : []),
  ];
  const shown = all.flatMap((field): readonly FormField[] => {
    if (!hides.includes(field.name)) return [field];
    return values[field.name] === undefined ? [] : [{ ...field, kind: "hidden" }];
  });
  const presets = Object.fromEntries(
    shown.flatMap(({ name, preset }) => (preset === undefined ? [] : [[name, preset]])),
  );
  const begun = { ...presets, ...values };
  const known = rememberedName === null ? begun : { by: rememberedName, ...begun };
  const fields = [
    ...shown,
    ...(act.reasonOf !== null ? [toAuditField("reason", "Reason")] : []),
    ...(person.name === null ? [toAuditField("by", "Your name")] : []),
  ];
  return (
    <details class={`act ${look}`} open={isOpen} data-fold={`${actName}-${of}`}>
      <summary>{title}</summary>
      <form method="post" action={toActPath(act)}>
        {act.costs === undefined ? null : <p class="hint">{act.costs}</p>}
        <input type="hidden" name="formToken" value={formToken} />
        <input type="hidden" name="back" value={url} />
        {fields.map((field) => (
          <Field
            field={
              choices[field.name] === undefined ? field : { ...field, choices: choices[field.name] ?? [] }
            }
            id={`${actName}-${field.name}-${of}`}
            value={known[field.name]}
          />
        ))}
        <button type="submit">{title}</button>
        <p class="hint">
          The command that does the same
          <span data-as-opened>, with the fields as this page opened</span>:
        </p>
        <CommandLine line={toFormLine(act, begun)} />
      </form>
    </details>
  );
}

function toFormField(name: string, face: FieldFace): FormField {
  const { label, choices, isOpen = false, preset, about } = face;
  if (label === undefined) return { name, label: name, kind: "hidden" };
  const common = { name, label, ...defined({ choices, preset }) };
  if (choices !== undefined && !isOpen) return { ...common, kind: "choice" };
  return { ...common, kind: "text", hint: about };
}

const optionalReason: FormField = {
  name: "reason",
  label: "Reason",
  kind: "text",
  hint: "If there is one. Written into the audit.",
};

function toAuditField(name: string, label: string): FormField {
  return { name, label, kind: "text", isRequired: true, hint: "Required. Written into the audit." };
}

/** The page may have the same act for several things, which strangers have named. */
function toIdPart(values: Texts): string {
  return createHash("sha1").update(JSON.stringify(values)).digest("hex").slice(0, 8);
}

function Field({
  field: { name, label, kind, choices = [], isRequired = false, hint },
  id,
  value,
}: Readonly<{ field: FormField; id: string; value: string | undefined }>): Html | null {
  if (kind === "hidden")
    return value === undefined ? null : <input type="hidden" name={name} value={value} />;
  const describedBy = hint === undefined ? {} : { "aria-describedby": `${id}-hint` };
  return (
    <p class="field">
      <label for={id}>{label}</label>
      {kind === "choice" ? (
        <select id={id} name={name} {...describedBy}>
          {choices.map(([one, words]) => (
            <option value={one} selected={one === value}>
              {words}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          name={name}
          type="text"
          maxlength={maxReasonCharacters}
          value={toFieldText(value ?? "")}
          required={isRequired}
          autocomplete="off"
          list={choices.length === 0 ? undefined : `${id}-list`}
          {...describedBy}
        />
      )}
      {kind !== "text" || choices.length === 0 ? null : (
        <datalist id={`${id}-list`}>
          {choices.map(([one, words]) => (
            <option value={one}>{words}</option>
          ))}
        </datalist>
      )}
      {hint === undefined ? null : (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </p>
  );
}
