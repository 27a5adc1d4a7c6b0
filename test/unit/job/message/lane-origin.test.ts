import { describe, expect, it } from "vitest";
import { laneOriginOf } from "../../../../src/job/message/destination-url.ts";

describe("the origin of a lane", () => {
  it.each([
    [{ destination: "https://api.example.com/orders?a=1#b" }, "https://api.example.com"],
    [{ destination: "https://API.Example.com:443/" }, "https://api.example.com"],
    [{ destination: "http://api.example.com:8080/x" }, "http://api.example.com:8080"],
    [{ destination: "http://api.example.com/x" }, "http://api.example.com"],
    [{ destination: "http://[::1]:9/x" }, "http://[::1]:9"],
    [{ destination: "https://münchen.example/x" }, "https://xn--mnchen-3ya.example"],
    [{ destination: "https://api.example.com/x", queue: "orders" }, "queue:orders"],
    [{ destination: "https://api.example.com/x", queue: "https://a" }, "queue:https://a"],
  ])("of %j is %s", (item, origin) => {
    expect(laneOriginOf(item)).toBe(origin);
  });
});
