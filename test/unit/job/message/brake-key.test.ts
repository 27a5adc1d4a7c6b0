import { expect, it, test } from "vitest";
import { isKeyOf, toBrakeKey, withBrake } from "../../../../src/job/message/brake-key.ts";
import type { DeadLetter } from "../../../../src/job/message/dead-letter.ts";

const letter = (fields: Partial<DeadLetter> = {}): DeadLetter =>
  ({ url: "https://pay.example.com:8443/a", ...fields }) as DeadLetter;
const keyOf = (of: DeadLetter, changes = {}) => withBrake(changes, of, of.url, 100).flowControl;

test.each([
  ["redriver.pay.example.com", "pay.example.com", true],
  ["redriver.pay.example.com", "pay.example.com:443", true],
  ["redriver.pay.example.com", "https://pay.example.com", true],
  ["redriver.pay.example.com_8443", "pay.example.com", true],
  ["redriver.pay.example.com_8443", "https://pay.example.com:8443", true],
  ["redriver.pay.example.com_8443", "pay.example.com:443", false],
  ["redriver.pay.example.com", "pay.example.com:8443", false],
  ["redriver.pay.example.co", "pay.example.com", false],
  ["redriver.pay.example.com.au", "pay.example.com", false],
  ["redriver.pay.example.com", "queue:pay.example.com", false],
  ["redriver.anything", undefined, true],
  ["theirs", undefined, false],
])("%s of %s: %s", (key, name, is) => expect(isKeyOf(key, name)).toBe(is));

it("a message without flow control gets the key of its host, with its port", () => {
  expect(keyOf(letter())).toEqual({ key: "redriver.pay.example.com_8443", parallelism: 100 });
  expect(toBrakeKey("[::1]:8080")).toBe("redriver.___1__8080");
});

it("one that has a key of its own, a rule's, or a queue keeps what it has", () => {
  expect(keyOf(letter({ flowControlKey: "theirs", rate: 5 }))).toBeUndefined();
  expect(keyOf(letter(), { flowControl: { key: "rule", rate: 5 } })).toEqual({ key: "rule", rate: 5 });
  expect(keyOf(letter({ queueName: "orders" }))).toBeUndefined();
  expect(keyOf(letter({ queueName: "orders" }), { queue: null })).toBeDefined();
  // A rule takes its own key away, or it was listed without a value: nothing else would brake it.
  expect(keyOf(letter({ flowControlKey: "theirs", rate: 5 }), { flowControl: null })).toBeDefined();
  expect(keyOf(letter({ flowControlKey: "theirs" }))).toBeDefined();
});
