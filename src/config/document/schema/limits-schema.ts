import * as z from "zod";
import { builtInAuto } from "../../../job/contracts/auto-rate.ts";
import { orExpected, type Parsed } from "../../../job/rules/parsed.ts";
import { parseRate } from "../../../job/rules/patterns/parse-rate.ts";
import { ifClean, key, parsed, section, wholeNumber } from "./building-blocks.ts";

export const rate = parsed(parseRate, { type: "string", examples: ["20/s", "600/m", "1000/h"] });

const none = z.literal("none").transform(() => null);

function limit<Schema extends z.ZodType>(schema: Schema, error: string) {
  return z.union([none, schema], error);
}

const rateExpected = "a rate such as 20/s, 600/m or 1000/h, or none";
const ceilingExpected = "a whole number from 1, or none";
const ceiling = limit(wholeNumber(1, 1_000_000_000), ceilingExpected);

/** Beyond it a second's burst is more than any host is known to take. */
const maxPerSecond = 100_000;

/** A learned rate is counted per second: a rate per minute could not be halved and doubled evenly. */
function parsePerSecond(value: unknown): Parsed<number> {
  const rateGiven = parseRate(value);
  const isPerSecond =
    rateGiven.ok && rateGiven.value.perMs === 1_000 && rateGiven.value.count <= maxPerSecond;
  return orExpected(isPerSecond ? rateGiven.value.count : null, "a rate per second such as 10/s");
}

const perSecond = parsed(parsePerSecond, { type: "string", examples: ["10/s", "100/s"] });
const autoKeys = section({
  from: key(perSecond, "The rate of a host about which nothing is known."),
  to: key(perSecond, "The highest rate."),
}).refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
  ...ifClean("a rate that is not below from"),
  path: ["to"],
});

function toAutoKeys({ from, to }: z.output<typeof autoKeys>) {
  const { fromPerSecond, toPerSecond } = builtInAuto;
  return {
    fromPerSecond: from ?? Math.min(fromPerSecond, to ?? fromPerSecond),
    toPerSecond: to ?? Math.max(toPerSecond, from ?? toPerSecond),
  };
}

const auto = z.literal("auto").transform(() => toAutoKeys({}));
const perHostExpected = "auto, { from: 10/s, to: 100/s }, a rate such as 20/s, 600/m or 1000/h, or none";

export const limits = section({
  publish: key(limit(rate, rateExpected), "Publishes of this drain, all replicas together."),
  perHost: key(
    z.union([none, auto, autoKeys.transform(toAutoKeys), rate], perHostExpected),
    "Publishes to each destination host (or queue) by itself. auto: learned for each, from 10/s to 100/s.",
  ),
  perPass: key(ceiling, "Publishes in one pass."),
  perDay: key(ceiling, "Publishes in one UTC day."),
});
