import { expect, test } from "vitest";
import {
  isDestination,
  laneOriginOf,
  laneOriginOfLetter,
  parseUrl,
} from "../../../../src/job/message/destination-url.ts";

test("an address with a Latin-1 letter stays one however often it is asked for", () => {
  // Node 20's own URL.canParse says no from about the five thousandth time on.
  const answers = Array.from({ length: 20_000 }, () => isDestination("https://münchen.example/ä"));
  expect(answers.filter((answer) => !answer)).toHaveLength(0);
});

test("what is no address is null", () => {
  expect(parseUrl("https://a.example/x")?.host).toBe("a.example");
  for (const text of ["", "/x", "https://", "http://[::1"]) expect(parseUrl(text), text).toBeNull();
});

test.each([
  [{ destination: "https://API.Example.com:443/orders?a=1#b" }, "https://api.example.com"],
  [{ destination: "http://api.example.com:8080/x" }, "http://api.example.com:8080"],
  [{ destination: "http://api.example.com/x" }, "http://api.example.com"],
  [{ destination: "http://[::1]:9/x" }, "http://[::1]:9"],
  [{ destination: "https://münchen.example/x" }, "https://xn--mnchen-3ya.example"],
  [{ destination: "https://api.example.com/x", queue: "https://a" }, "queue:https://a"],
])("the lane of %j has the origin %s", (item, origin) => {
  expect(laneOriginOf(item)).toBe(origin);
});

test.each(["file:///etc/passwd", "not a URL"])("a letter for %s has no lane", (url) => {
  expect(laneOriginOfLetter({ url, queueName: undefined })).toBeNull();
});
