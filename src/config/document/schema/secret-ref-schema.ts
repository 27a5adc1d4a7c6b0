import type * as z from "zod";
import { ifClean, line, section } from "./building-blocks.ts";

const environmentName = line("the name of an environment variable").regex(
  /^[A-Za-z_][A-Za-z0-9_]{0,254}$/,
  "the name of an environment variable",
);

export const secretExpected =
  "{ file: /path/of/a/file } or { env: NAME_OF_A_VARIABLE }; a secret never stands in the document itself";

/** Where a secret is read from. Exactly one key, so that nobody wonders which one counts. */
export const secretRef = section(
  { file: line("the path of a file").optional(), env: environmentName.optional() },
  secretExpected,
).refine((ref) => (ref.file === undefined) !== (ref.env === undefined), ifClean(secretExpected));

export type SecretRefKeys = z.output<typeof secretRef>;
