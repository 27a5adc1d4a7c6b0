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
import { toFieldText, toQuery } from "../query.ts";
import type { Drawn, Html, ScreenContext } from "../screen.ts";
import { CommandLine } from "./text.tsx";

type Choices = NonNullable<FieldFace["choices"]>;

interface FormField {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "choice" | "hidden";
  /** Of a text. */
  readonly type?: "text" | "datetime-local";
  readonly choices?: Choices;
  readonly isRequired?: boolean;
  readonly preset?: string;
  readonly hint?: string;
}

export interface ActShown {
  readonly act: Operation;
  /** Values that are known: hidden fields, and what others begin with. */
  readonly values: Texts;
  /** Null: it can be done. What keeps it from being done is news to who looks for the form, so it stands in its place. */
  readonly whyNot?: string | null;
  /** How it stands out; default: not at all. */
  readonly look?: "primary" | "brake" | "quiet" | "";
  /** What is written on it here, such as how many it is about; default: the act's title. */
  readonly title?: string;
  /** What it costs here; default: as the act says. */
  readonly costs?: string;
  /** Its page is about it: nobody has to open it first. */
  readonly isOpen?: boolean;
  /** Fields that nobody fills here: they have the value that is known, or none. */
  readonly hides?: readonly string[];
  /** Choices of its fields here, by field. */
  readonly choices?: Readonly<Record<string, Choices>>;
}

/** Beside one another. What cannot be done now is false. */
export function Acts({
  of,
  context,
  children,
}: Drawn<{ of: readonly (ActShown | false | undefined)[]; children?: unknown }>): Html {
  return (
    <div class="acts">
      {of.map((one) => one && <ActForm {...one} context={context} />)}
      {children}
    </div>
  );
}

/** A form that opens on a click, also without a script. It is not drawn for a person who may not send it. */
export function ActForm(shown: Drawn<ActShown>): Html | null {
  const { act, values, context, look = "", title = act.title, isOpen = false, hides = [] } = shown;
  const { costs = act.costs } = shown;
  const { person, url, formToken, rememberedName } = context;
  const ofRole = whyNot(person, act.role);
  const why = ofRole ?? shown.whyNot ?? null;
  if (why !== null) {
    return shown.whyNot === undefined ? null : (
      <p class="hint">
        {title}: {why}
        {ofRole === null ? null : <SignInLink context={context} />}
      </p>
    );
  }
  const of = toIdPart(values);
  const actName = nameOf(act);
  const own = fieldsOf(act)
    .map(([name, , face]) => toFormField(name, face, shown.choices?.[name]))
    .flatMap((field): readonly FormField[] => {
      if (!hides.includes(field.name)) return [field];
      return values[field.name] === undefined ? [] : [{ ...field, kind: "hidden" }];
    });
  const presets = own.flatMap(({ name, preset }) => (preset === undefined ? [] : [[name, preset] as const]));
  const begun: Texts = { ...Object.fromEntries(presets), ...values };
  const known: Texts = rememberedName === null ? begun : { by: rememberedName, ...begun };
  const fields = [
    ...own,
    ...(act.mayHaveReason === true ? [optionalReason] : []),
    ...(act.reasonOf !== null ? [toAuditField("reason", "Reason")] : []),
    ...(person.name === null ? [toAuditField("by", "Your name")] : []),
  ];
  return (
    <details class={`act ${look}`} open={isOpen} data-fold={`${actName}-${of}`}>
      <summary>{title}</summary>
      <form method="post" action={toActPath(act)}>
        {costs === undefined ? null : <p class="hint">{costs}</p>}
        <input type="hidden" name="formToken" value={formToken} />
        <input type="hidden" name="back" value={url} />
        {fields.map((field) => (
          <Field field={field} id={`${actName}-${field.name}-${of}`} value={known[field.name]} />
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

/** `. Sign in as somebody else`, who comes back to this page. Nothing if people are not known by tokens. */
export function SignInLink({
  context: { hasSignIn, url },
}: Readonly<{ context: Pick<ScreenContext, "hasSignIn" | "url"> }>): Html | null {
  return hasSignIn ? (
    <>
      . <a href={`/sign-in${toQuery({ back: url })}`}>Sign in as somebody else</a>
    </>
  ) : null;
}

/** `here`: its choices on this page. */
function toFormField(name: string, face: FieldFace, here: Choices | undefined): FormField {
  const { label, choices, isOpen = false, preset, about } = face;
  if (label === undefined) return { name, label: name, kind: "hidden" };
  const common = { name, label, ...defined({ choices: here ?? choices, preset }) };
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

type FieldProps = Readonly<{ field: FormField; id: string; value: string | undefined }>;

export function Field({ field, id, value }: FieldProps): Html | null {
  const { name, label, kind, type = "text", choices = [], isRequired = false, hint } = field;
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
          type={type}
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
