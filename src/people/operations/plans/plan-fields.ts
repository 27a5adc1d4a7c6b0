/** What a plan is asked for: of the command, which may look without keeping, and of what keeps one. */
import { z } from "zod";
import type { Core } from "../../../job/door.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { PlanFilter } from "../../../job/contracts/plans.ts";
import { defined } from "../../../job/message/defined.ts";
import { faceOf, field } from "../define.ts";
import { all, drains, failure, nameText } from "../fields.ts";

const expectedCount = "expected a whole number, at least 1";

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
  host: field(nameText.optional(), {
    about: "only this destination host; * stands for any part",
    value: "host",
    label: "Host",
  }),
  failure: field(failure, { ...faceOf(failure), label: "Failure" }),
  limit: field(
    z.number(expectedCount).int(expectedCount).min(1, expectedCount).max(1e12, expectedCount).optional(),
    {
      about: "at most so many records of each drain, also those that it holds, parks or drops",
      value: "n",
      label: "Limit",
    },
  ),
  discard: field(z.literal(true).optional(), {
    about: "archive and delete them all, whatever the rules decide; parked ones too",
    value: "",
    label: "Act",
    choices: [
      ["", "what the rules decide"],
      ["true", "discard: archive, then delete"],
    ],
  }),
  fromArchive: field(z.literal(true).optional(), {
    about: "publish again what the archive alone has: dropped, discarded or expired",
    value: "",
    flag: "--from-archive",
    label: "Source",
    choices: [
      ["", "the queue"],
      ["true", "the archive: dropped, discarded, expired"],
    ],
  }),
});

export type PlanInput = z.output<typeof planInput>;

/** Names are checked where the plan is made. */
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
