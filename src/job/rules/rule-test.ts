import type { JsonValue } from "../message/json-value.ts";
import type { Decision } from "./decision.ts";

/** One of a drain's `tests:`. Absent fields have a plain value in `given`, and match any in `expect`. */
export interface RuleTest {
  readonly name: string;
  /** A record's own fields as listed, and `age`, `messageAge` (ms), `attempt`, `superseded`. */
  readonly given: {
    readonly record: Readonly<Record<string, JsonValue>>;
    readonly ageMs?: number;
    readonly messageAgeMs?: number;
    readonly attempt?: number;
    readonly superseded?: boolean;
  };
  readonly expect: {
    readonly then: Exclude<Decision["then"], "settle">;
    readonly rule?: string | null;
    readonly reason?: string;
    /** The fields that the test names. Headers by name without regard to case, JSON bodies by value. */
    readonly item?: {
      readonly destination?: string;
      readonly queue?: string | null;
      readonly headers?: Readonly<Record<string, string | null>>;
      readonly body?: JsonValue;
    };
    readonly losses?: readonly string[];
  };
}
