import type * as z from "zod";
import { parseDateOrTime } from "../../../job/rules/patterns/parse-dates.ts";
import { parseRate } from "../../../job/rules/patterns/parse-rate.ts";
import { key, name, oneOf, parsed, section } from "./building-blocks.ts";
import { changes } from "./set-schema.ts";
import { when } from "./when-schema.ts";

export const rate = parsed(parseRate, { type: "string", examples: ["20/s", "600/m", "1000/h"] });

export const rule = section({
  name: key(name, "Its name in logs, metrics and plans; rule-1, rule-2, … by position when left out."),
  when: key(when, "What a record must have; keys are and, lists are or. The word any: every record."),
  then: oneOf(["republish", "drop", "hold", "park"]).meta({
    description:
      "republish: send it again; drop: archive, then delete; hold: ask again later; park: leave it to a person.",
  }),
  set: key(changes, "What a republish changes; the rest stays as it was."),
  via: key(
    oneOf(["service"]),
    "service: a republish by the service's own retry, an id a call, for what a batch cannot carry.",
  ),
  limit: key(rate, "Publishes by this rule, all replicas together."),
  ignoreAfter: key(
    parsed(parseDateOrTime, { type: "string", examples: ["2026-12-01", "2026-12-01T18:00:00Z"] }),
    "The rule is skipped after this date, or time with a zone.",
  ),
});

export type RuleKeys = z.output<typeof rule>;
