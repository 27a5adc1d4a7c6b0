/**
 * 5 characters at least: `msg_` and one more (service-interface.md 2.2, "of the form msg_<id>"). 256 at most:
 * real ones have about 30. The prefix is not required, because no document promises it for every deployment.
 * Neither blanks nor control characters nor quotes, and at least one letter or digit.
 */
const shape = /^(?=.*[A-Za-z0-9])[\w.:~=+/-]{5,256}$/;

/** Anything else is no proof of a publication. `undefined` is an absent id, turned into text. */
export function isMessageId(value: unknown): value is string {
  return typeof value === "string" && value !== "undefined" && shape.test(value);
}
