import { z } from "zod";
import { failureStates, type FailureView } from "../../read/failure-views.ts";
import { field } from "../define.ts";
import { filter, flag, hostFilter, nameText } from "../fields.ts";
import { count, counts, defineReading, next, open, owner, time, toPage } from "../reading.ts";
import { chooseFailures } from "./choose.ts";
import { readDetails, readStoredDetails, type FailureDetails, type StoredDetails } from "./details.ts";
import { readFailureList } from "./list.ts";

const failure = z.object({
  id: z.string(),
  source: z.string(),
  origin: z.string(),
  status: z.number().nullable(),
  text: z.string(),
  since: time.nullable(),
  firstMetAt: time,
  lastMetAt: time,
  lastSeenAt: time,
  drain: z.string(),
  sample: z.string().nullable(),
  stillCounting: z
    .boolean()
    .describe("Nothing has counted its drains yet: at least so many wait and are parked."),
  waiting: count,
  parked: count,
  expiredSince: time.optional().describe("Some of these may have expired since then."),
  arrived: count,
  published: count,
  discarded: count.describe("By people."),
  failedAgain: count,
  failedAgainAs: z
    .array(z.object({ id: z.string(), status: z.number().nullable(), count }))
    .describe("Of those that failed again, what is of another kind now."),
  largestHour: count,
  ruled: counts.describe("Decisions since the last full pass, of the drain that counts a record."),
  new: z.boolean(),
  state: z.enum(failureStates),
  owner: owner.nullable().describe("Who works on it, or did until it was resolved."),
  note: z.object({ text: z.string(), ticket: z.string(), by: z.string(), at: time }).nullable(),
  quiet: open.nullable(),
  drains: z.array(open),
});

export const failuresReading = defineReading({
  path: "/failures",
  summary: "Kinds of failure, by trouble, each as redriver failures --json prints it",
  command: {
    words: "failures list",
    about: "what waits, is parked or was seen within a day: new ones first, then most waiting",
  },
  needs: "names",
  input: z.strictObject({
    drain: filter("only what this drain has met, with its counts", "name"),
    host: hostFilter("only of this destination host"),
    state: field(z.enum(failureStates).optional(), {
      about: "only those that nobody, or somebody, works on, or that are over",
      value: "state",
    }),
    all: flag("also those with nothing waiting that were not seen for a day"),
  }),
  isPaged: true,
  answer: z.object({
    failures: z.array(failure),
    total: count,
    ofNoDrain: z
      .array(open)
      .describe(
        "By source: kinds that no drain selects, as its census counted. They stay until they expire.",
      ),
    next,
  }),
  async run({ core, now, input, page }) {
    const { shown, ofNoDrain } = await readFailureList(core, input, now);
    const { rows, next: from } = await toPage(shown, page);
    return { failures: rows.map(toFailureJson), total: shown.length, ofNoDrain, next: from };
  },
});

export const failureReading = defineReading({
  path: "/failures/:id",
  summary: "One kind of failure, with its arrivals and lanes",
  command: {
    words: "failures show",
    about: "one kind: since when, how many, what the rules do with it, its lane, what persons wrote down",
  },
  needs: "rules",
  input: z.strictObject({
    id: field(nameText, { about: "as list shows it", value: "id", isArgument: true }),
    sample: flag("What the rules do with one of them now. It calls the service, so it needs an operator."),
  }),
  ofOperator: "sample",
  answer: z.object({
    failures: z
      .array(
        failure.extend({
          arrivals: counts.describe("By the hour of entry: Unix time / 1 h."),
          lanes: z.array(z.object({ drain: z.string(), lane: open })),
          decided: open
            .optional()
            .describe("Only with `sample`: what the rules do with one now, values masked."),
          happened: z
            .array(open)
            .optional()
            .describe("Only with `sample`: moves of its lanes, probes, and what people did, newest first."),
        }),
      )
      .describe("One for each source that has met it."),
  }),
  async run({ core, recent, signal, input: { id, sample } }) {
    const details = chooseFailures(await recent.failures(), id).map((view) =>
      sample === true ? readDetails(core, view, signal) : readStoredDetails(core, view),
    );
    return { failures: (await Promise.all(details)).map(toDetailsJson) };
  },
});

export function toFailureJson({ quiet, quietEnded, isNew, isQuiet, ...view }: FailureView) {
  return {
    ...view,
    new: isNew,
    /** `ended`: why it is over; null: it is not. */
    quiet: quiet === null ? null : { ...quiet, active: isQuiet, ended: quietEnded },
  };
}

/** `sample` stays its id; what the rules do with one is `decided`, if that was asked. */
export function toDetailsJson({ failure: view, arrivals, lanes, ...asked }: StoredDetails | FailureDetails) {
  if (!("sample" in asked)) return { ...toFailureJson(view), arrivals, lanes };
  const happened = asked.timeLine.entries.map((entry) => {
    const { records: _, ...told } = entry;
    return told;
  });
  return { ...toFailureJson(view), arrivals, lanes, decided: asked.sample, happened };
}
