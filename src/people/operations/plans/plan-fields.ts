/** What a plan is asked for: of the command, which may look without keeping, and of what keeps one. */
import { z } from "zod";
import type { Core } from "../../../job/door.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { PlanFilter } from "../../../job/contracts/plans.ts";
import { defined } from "../../../job/message/defined.ts";
import { faceOf, field } from "../define.ts";
import { all, countField, drains, failure, flag, hostFilter, nameText } from "../fields.ts";

export const planInput = z.strictObject({
  drains: field(drains, { ...faceOf(drains), label: "Drain", choices: [] }),
  all: field(all, { ...faceOf(all), insteadOf: "drains" }),
  rules: field(z.array(nameText).min(1).max(100).optional(), {
    about: "only what this rule decides; may be given several times",
    value: "name",
    flag: "--rule",
    label: "Rule",
    choices: [],
  }),
  host: hostFilter("only this destination host", { label: "Host" }),
  failure: field(failure, { ...faceOf(failure), label: "Failure" }),
  limit: countField(
    "at most so many records of each drain, also those that it holds, parks or drops; none sent before",
    {
      label: "Limit",
    },
  ),
  discard: flag("archive and delete them all, whatever the rules decide; parked ones too", {
    label: "Act",
    choices: [
      ["", "what the rules decide"],
      ["true", "discard: archive, then delete"],
    ],
  }),
  fromArchive: flag("publish again what the archive alone has: dropped, discarded or expired", {
    flag: "--from-archive",
    label: "Source",
    choices: [
      ["", "the queue"],
      ["true", "the archive: dropped, discarded, expired"],
    ],
  }),
});

export type PlanInput = z.output<typeof planInput>;

export function toSelection(
  { document }: Pick<Core, "document">,
  { drains: names, rules, host, failure: kind, limit, discard, fromArchive }: PlanInput,
): { readonly drains: readonly DrainName[]; readonly filter: PlanFilter } {
  const known = document.drains.map(({ name }) => name);
  return {
    drains: (names as readonly DrainName[] | undefined) ?? known,
    filter: defined({ rules, host, failure: kind, limit, discard, fromArchive }),
  };
}
