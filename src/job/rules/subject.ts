import type { DeadLetter, DlqId } from "../message/dead-letter.ts";
import { urlPartsOf } from "../message/destination-url.ts";
import { hostFormsOf, spellPath, type HostForms } from "../message/host-and-path.ts";
import { toDecoded } from "../message/show-masked-values.ts";
import { valuesOf } from "../message/headers.ts";
import { numberTextAt } from "../message/json-losses.ts";
import type { JsonValue } from "../message/json-value.ts";
import { lookUp, parsePointer } from "../message/json-pointer.ts";
import { toDecimal } from "../message/decimal.ts";
import { oncePerText } from "../message/once-per-text.ts";
import type { RecordFacts } from "./record-facts.ts";
import { parseIpAddress, type IpAddress } from "./patterns/ip-address-patterns.ts";
import type { PathForms } from "./patterns/host-and-path-tests.ts";
import { toJson } from "./read-json-body.ts";
import type { BodyField, DurationField, NumberField, TextField } from "./rule-spec.ts";

interface Address {
  readonly host: HostForms;
  readonly path: PathForms;
}

/**
 * Each answer that costs something is computed once, on the first request, and shared by all rules. A class
 * because routers make one for every record: its methods are shared, closures would be made anew.
 */
export class Subject {
  readonly #facts: RecordFacts;
  #now: number;
  readonly #letter: DeadLetter;
  #address: Address | null | undefined;
  #method: readonly string[] | undefined;
  #callerIp: IpAddress | null | undefined;
  #size: number | undefined;
  #json: Map<BodyField, JsonValue | undefined> | undefined;

  constructor(facts: RecordFacts) {
    this.#facts = facts;
    this.#now = facts.now;
    this.#letter = facts.letter;
  }

  /** From here on, ages are those at this moment (Unix ms). Nothing else changes. */
  moveTo(now: number): void {
    this.#now = now;
  }

  texts(field: TextField): readonly string[] {
    if (field === "host") return this.host()?.written ?? nothing;
    if (field === "path") return this.path()?.written.slice(0, 1) ?? nothing;
    if (field === "label") return this.#letter.labels;
    if (field === "method") return (this.#method ??= [this.#letter.method.toUpperCase()]);
    return present(this.#letter[field]);
  }

  host(): HostForms | undefined {
    return this.#toAddress()?.host;
  }

  path(): PathForms | undefined {
    return this.#toAddress()?.path;
  }

  #toAddress(): Address | null {
    if (this.#address === undefined) this.#address = addressOf(this.#letter.url);
    return this.#address;
  }

  header(of: "request" | "response", lowerName: string): readonly string[] {
    return valuesOf(of === "request" ? this.#letter.header : this.#letter.responseHeader, lowerName);
  }

  number(field: NumberField): number | undefined {
    if (field === "attempt") return this.#facts.attempt;
    if (field === "size") return (this.#size ??= toSize(this.#letter));
    return this.#letter[field];
  }

  /** In ms; below 0 when the record is from the future by this clock, or past its retention. */
  durationMs(field: DurationField): number {
    const now = this.#now;
    switch (field) {
      case "age":
        return now - this.#letter.enteredAt;
      case "messageAge":
        return now - this.#facts.rootCreatedAt;
      case "timeLeft":
        return this.#facts.expiresAt - now;
    }
  }

  /** Undefined when absent, null when it is no address. */
  callerIp(): IpAddress | null | undefined {
    const { callerIp } = this.#letter;
    if (callerIp === undefined) return undefined;
    if (this.#callerIp === undefined) this.#callerIp = parseIpAddress(callerIp);
    return this.#callerIp;
  }

  /** The number at the pointer's names as it is written, `value` as JavaScript reads it. */
  numberText(field: BodyField, names: readonly string[], value: number): string {
    const text = this.#letter[field];
    return (mayRound(text) ? numberTextAt(text, names) : null) ?? String(value);
  }

  value(field: BodyField, names: readonly string[]): JsonValue | undefined {
    const known = (this.#json ??= new Map<BodyField, JsonValue | undefined>());
    if (!known.has(field)) known.set(field, toJson(this.#letter[field]));
    const body = known.get(field);
    return body === undefined ? undefined : lookUp(body, names);
  }

  /** The newest letter of the same schedule or value, if that is another one. Null also if it is not known. */
  newer(pointer: string | null): DlqId | null {
    return this.#facts.newer?.(this.#letter.dlqId, pointer, this.compared(pointer)) ?? null;
  }

  knowsNewer(): boolean {
    return this.#facts.newer !== undefined;
  }

  /** One spelling of what letters are compared by: text, number or boolean, each apart from the others. */
  compared(pointer: string | null): string | undefined {
    if (pointer === null) return present(this.#letter.scheduleId)[0];
    const names = parsePointer(pointer);
    const value = names === null ? undefined : this.value("body", names);
    if (names === null || value === undefined || value === null || typeof value === "object")
      return undefined;
    return typeof value === "number"
      ? `number ${toDecimal(this.numberText("body", names, value))}`
      : `${typeof value} ${value}`;
  }
}

const nothing: readonly string[] = [];

/** The service lists an absent text as an empty one. */
function present(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? nothing : [text];
}

/** A queue has some dozens. */
const addressOf = oncePerText(200, 1_024, toAddress);

/** Null for a text that is no address, or one without a host: its path is no path at a receiver. */
function toAddress(text: string): Address | null {
  const url = urlPartsOf(text);
  if (url === null || url.hostname === "") return null;
  const { protocol, host, pathname } = url;
  const readable = toDecoded(pathname);
  const written = readable === pathname ? [pathname] : [pathname, readable];
  return { host: hostFormsOf(`${protocol}//${host}`), path: { spelled: spellPath(pathname), written } };
}

/** A double keeps 15 digits apart. Such a text inside a string costs a look more, no more. */
function mayRound(text: string): boolean {
  return /\d[\d.]{15}|\d[eE][+-]?\d/.test(text);
}

function toSize({ body, bodyBase64 }: DeadLetter): number {
  return bodyBase64 === "" ? Buffer.byteLength(body) : Buffer.byteLength(bodyBase64, "base64");
}
