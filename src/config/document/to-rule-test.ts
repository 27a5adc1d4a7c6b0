import type { JsonValue } from "../../message/json-value.ts";
import type { RuleTest } from "../../rules/rule-test.ts";
import type { RuleTestKeys } from "./schema/test-schema.ts";

/** A test as it is run. Bodies that are mappings or lists become the JSON text of them. */
export function toRuleTest(test: RuleTestKeys): RuleTest {
  const { age, messageAge, attempt, callerIp, label, labels, ...fields } = test.given;
  const record: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) record[name] = value;
  for (const name of ["body", "responseBody"]) {
    const body = record[name];
    if (body !== undefined && typeof body !== "string") record[name] = JSON.stringify(body);
  }
  if (callerIp !== undefined) record["callerIP"] = callerIp;
  const all = [label, labels].flatMap((value) => value ?? []);
  if (all.length > 0) record["labels"] = all;
  const { then, rule, reason, item, losses } = test.expect;
  return {
    name: test.name,
    given: {
      record,
      ...(age === undefined ? {} : { ageMs: age }),
      ...(messageAge === undefined ? {} : { messageAgeMs: messageAge }),
      ...(attempt === undefined ? {} : { attempt }),
    },
    expect: {
      then,
      ...(rule === undefined ? {} : { rule: rule === "none" ? null : rule }),
      ...(reason === undefined ? {} : { reason }),
      ...(item === undefined ? {} : { item: toExpectedItem(item) }),
      ...(losses === undefined ? {} : { losses }),
    },
  };
}

function toExpectedItem(
  item: NonNullable<RuleTestKeys["expect"]["item"]>,
): NonNullable<RuleTest["expect"]["item"]> {
  const { destination, queue, headers, body } = item;
  return {
    ...(destination === undefined ? {} : { destination }),
    ...(queue === undefined ? {} : { queue }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  };
}
