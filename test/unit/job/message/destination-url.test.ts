import { expect, test } from "vitest";
import { isDestination, parseUrl } from "../../../../src/job/message/destination-url.ts";

test("an address with a Latin-1 letter stays one however often it is asked for", () => {
  // Node 20's own URL.canParse says no from about the five thousandth time on.
  const answers = Array.from({ length: 20_000 }, () => isDestination("https://münchen.example/ä"));
  expect(answers.filter((answer) => !answer)).toHaveLength(0);
});

test("what is no address is null", () => {
  expect(parseUrl("https://a.example/x")?.host).toBe("a.example");
  for (const text of ["", "/x", "https://", "http://[::1"]) expect(parseUrl(text), text).toBeNull();
});
