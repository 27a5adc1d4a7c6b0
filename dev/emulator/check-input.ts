import type { z } from "zod";
import { EmulatorRefusal } from "./refusal.ts";

/** More than any body or record has; what walks them by recursion walks that much safely. */
export const maxNesting = 100;

/** Whether there are more arrays and objects inside one another than that. */
export function isNestedTooDeeply(value: unknown, levels = maxNesting): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isNestedTooDeeply(inner, levels - 1));
}

/** The payload as the schema understands it; otherwise 400 with everything that is wrong. */
export function accept<T>(schema: z.ZodType<T>, payload: unknown, what = "body"): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new EmulatorRefusal(400, problemsOf(parsed.error, what));
}

/** Each problem behind the field that it concerns, or behind a name of the whole, if it has one. */
export const problemsOf = ({ issues }: z.ZodError, whole = ""): string =>
  issues
    .map(({ path, message }) => [path.join(".") || whole, message])
    .map(([where, message]) => (where === "" ? message : `${where}: ${message}`))
    .join("; ");
