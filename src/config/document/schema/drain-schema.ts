import * as z from "zod";
import { parseDateOrTime, parseEdge } from "../../../job/rules/patterns/parse-dates.ts";
import { flowControlLayer } from "./flow-control-schema.ts";
import { guard } from "./guard-schema.ts";
import { lane } from "./lane-schema.ts";
import { limits, rate } from "./limits-schema.ts";
import { drainSchedule } from "./cron-schedule-schema.ts";
import {
  duration,
  flag,
  key,
  line,
  name,
  oneOf,
  listOf,
  parsed,
  positiveDuration,
  refusedKey,
  section,
  setOf,
  wholeNumber,
} from "./building-blocks.ts";
import { ruleTest } from "./rule-test-schema.ts";
import { changes } from "./set-schema.ts";
import { when } from "./when-schema.ts";

const attempts = section({
  max: key(wholeNumber(1, 1_000), "Redrives of one message, at most."),
  wait: key(
    listOf(duration, "a duration such as 2m"),
    "Age at which redrive n may be made; the last repeats.",
  ),
  then: key(oneOf(["park", "hold"]), "What becomes of it after the last."),
});

const beforeExpiry = section({
  within: key(positiveDuration, "This long before its retention ends."),
  then: key(oneOf(["archive", "nothing"]), "archive: a copy, the record is not deleted."),
});

export const common = {
  mode: key(oneOf(["plan", "live"]), "plan: decide and report, change nothing; live: act."),
  schedule: key(drainSchedule, "When passes begin; full: between two full ones."),
  minAge: key(duration, "A younger record is neither published nor dropped."),
  attempts: key(attempts, "How often and when a message is redriven."),
  lane: key(lane, "How carefully each destination is tried; none: not by itself."),
  limits: key(limits, "Ceilings for publishes, all replicas together."),
  flowControl: key(
    flowControlLayer,
    "Flow control of everything that is redriven, in place of its own, so that live traffic keeps its share; none: its own.",
  ),
  onLoss: key(
    oneOf(["park", "republish"]),
    "A rebuild that cannot keep everything: park, or republish and report the loss.",
  ),
  unknownOutcome: key(
    oneOf(["republish", "park"]),
    "A publish whose outcome stays unknown past the deduplication window: republish may double it.",
  ),
  afterLedgerLoss: key(
    oneOf(["republish", "park"]),
    "A record from before Redis lost its ledger, past the deduplication window: republish may double it.",
  ),
  beforeExpiry: key(beforeExpiry, "What becomes of a record that nears the end of its retention."),
  otherwise: key(oneOf(["hold", "park"]), "No rule holds."),
};

/** Set by redriver for each page; a drain that set them would list something else than its passes believe. */
const ownParameter = refusedKey("set by redriver itself, for each page");

const status = wholeNumber(0, 999);
/** The service splits values at commas (service-interface.md 4.2, rule 3). */
const word = line("text, quote it if it looks like a number, true, false or null").refine(
  (text) => !text.includes(","),
  "one value without a comma, which the service would read as several; give a list",
);
const words = setOf(word, "text (quote it if it looks like a number, true, false or null)");

function edge(side: "from" | "to") {
  return parsed((value) => parseEdge(value, side), {
    type: ["string", "integer"],
    examples: ["-2d", "2026-11-01", "2026-11-01T18:00:00Z"],
  });
}

/**
 * The filters of GET /v2/dlq by their own names (service-interface.md 4.2). `flowControlKey` is described for
 * deletion only (4.3): the production service lists by it too, another may refuse the listing.
 */
const filters = {
  messageId: key(word, "One message."),
  url: key(words, "Whole destination addresses."),
  topicName: key(words, "URL Groups."),
  scheduleId: key(words, "Schedules."),
  queueName: key(words, "Queues."),
  responseStatus: key(setOf(status, "a status code"), "Status codes of the last answer."),
  callerIp: key(words, "Addresses of publishers."),
  label: key(words, "Labels."),
  flowControlKey: key(
    words,
    "Flow control keys. Not in the interface's description, so a service may refuse it.",
  ),
};

const notExpected = "a mapping of at least one filter";

const select = section({
  ...filters,
  not: key(
    section(filters, notExpected).refine((not) => Object.keys(not).length > 0, notExpected),
    "What matches all of these is left to other drains, and is not counted here.",
  ),
  fromDate: key(edge("from"), "Nothing before this: a date, a time, or a time before the pass begins (-2d)."),
  toDate: key(edge("to"), "Nothing after this."),
  cursor: ownParameter,
  count: ownParameter,
});

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

export const drain = section({
  source: key(name, "Its source; may be left out where there is one."),
  paused: key(flag, "true: every replica stops before its next batch."),
  ...common,
  select: key(select, "What the service filters; rules see all of it."),
  guards: key(
    z.array(guard, "a list of guards").max(20, "at most 20 guards"),
    "Hold this drain while a search index is behind.",
  ),
  rules: key(
    z.array(rule, "a list of rules").max(1_000, "at most 1000 rules"),
    "Read from the top; the first that matches decides.",
  ),
  tests: key(
    z.array(ruleTest, "a list of tests").max(1_000, "at most 1000 tests"),
    "What redriver rules test shows.",
  ),
});

export type RuleKeys = z.output<typeof rule>;
export type DrainKeys = z.output<typeof drain>;
export type CommonKeys = Pick<DrainKeys, keyof typeof common>;
