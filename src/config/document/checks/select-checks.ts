import { parseUrl } from "../../../message/parse-url.ts";
import type { DrainConfig } from "../../../ports/drains.ts";
import type { Select } from "../../../ports/service.ts";
import { compileAddresses, compileNumbers, compileTexts } from "../../../rules/patterns/compile-patterns.ts";
import type { Budget } from "../../../rules/lint/covers.ts";
import { parseIpAddress } from "../../../rules/patterns/ip-address.ts";
import type { Condition } from "../../../rules/spec.ts";

/** Of a regular expression in one text, in units of a plain comparison. */
const costOfSearch = 100;

/** What records of a selection can have in a field; null where the selection says nothing of it. */
interface Selected {
  texts(field: string): readonly string[] | null;
  readonly statuses: readonly (number | undefined)[] | null;
  readonly callerIps: readonly string[] | null;
  /** A message may have more labels than the one it was selected by. */
  readonly hasLabel: boolean;
}

/** Whether a condition can hold for any record that the drain's `select` lists. True means "not disproved". */
export function canHold(condition: Condition, selected: Selected, budget: Budget): boolean {
  budget.left -= 1;
  if (budget.left <= 0) return true;
  switch (condition.kind) {
    case "all":
      return condition.of.every((inner) => canHold(inner, selected, budget));
    case "some":
      return condition.of.some((inner) => canHold(inner, selected, budget));
    case "text": {
      if (condition.field === "label") {
        return !selected.hasLabel || condition.oneOf.some((pattern) => pattern.kind !== "none");
      }
      const values = selected.texts(condition.field);
      if (values === null) return true;
      const searches = condition.oneOf.filter((pattern) => pattern.kind === "regex").length;
      budget.left -= values.length * (condition.oneOf.length + searches * costOfSearch);
      if (budget.left <= 0) return true;
      const matches = compileTexts(condition.oneOf, condition.field);
      return values.some((value) => matches([value]));
    }
    case "number": {
      if (condition.field !== "responseStatus" || selected.statuses === null) return true;
      const matches = compileNumbers(condition.oneOf);
      return selected.statuses.some(matches);
    }
    case "address": {
      if (selected.callerIps === null) return true;
      const matches = compileAddresses(condition.oneOf);
      return selected.callerIps.some((address) => matches(parseIpAddress(address)));
    }
    case "any":
    case "not":
    case "header":
    case "duration":
    case "value":
      return true;
  }
}

export function toSelected(select: DrainConfig["select"]): Selected {
  const urls = select.url?.flatMap((url) => parseUrl(url) ?? []) ?? null;
  // An address that this reading of it does not understand may have any host and path.
  const readable = urls !== null && urls.length === select.url?.length ? urls : null;
  const fields: Readonly<Record<string, readonly string[] | null | undefined>> = {
    ...withLists(select),
    messageId: select.messageId === undefined ? null : [select.messageId],
    host: readable?.flatMap(({ host, hostname }) => [host, hostname]),
    path: readable?.map(({ pathname }) => pathname),
  };
  return {
    texts: (field) => (Object.hasOwn(fields, field) ? (fields[field] ?? null) : null),
    // A status of 0 is how the service lists that there was no HTTP answer.
    statuses: select.responseStatus?.map((status) => (status === 0 ? undefined : status)) ?? null,
    callerIps: select.callerIp ?? null,
    hasLabel: select.label !== undefined,
  };
}

function withLists({ url, topicName, scheduleId, queueName }: Select) {
  return { url, topicName, scheduleId, queueName };
}
