import { describe, expect, it } from "vitest";
import { toShownUrl } from "../../../../src/job/message/show-masked-values.ts";

describe("an address whose content is masked", () => {
  it.each([
    ["https://api.example.com/v1/orders", "https://api.example.com/v1/orders"],
    ["https://api.example.com:8443/created-v2/4711", "https://api.example.com:8443/created-v2/4711"],
    ["http://[::1]:8080/a", "http://[::1]:8080/a"],
    ["https://bücher.example/größe", "https://bücher.example/größe"],
    ["https://user:pw@api.example.com/", "https://***@api.example.com/"],
    ["https://user:p/w@api.example.com/", "https://***/***/"],
    ["https://user:p?w@api.example.com/", "https://***?***"],
    ["https://a.example/?tenant=acme&token=abc", "https://a.example/?tenant=***&token=***"],
    ["https://a.example/?filter[status]=1;none=&x=a=b", "https://a.example/?filter[status]=***&none=&x=***"],
    ["https://a.example/?abc", "https://a.example/?***"],
    ["https://a.example/#access_token=abc", "https://a.example/#***"],
    [
      "https://hooks.example.com/services/T024BE7LD/B4C9X2/f8kQ2mZp0LxV7cRtYw3nHs6J",
      "https://hooks.example.com/services/T024BE7LD/B4C9X2/***",
    ],
    ["https://a.example/bot123456:AAF0aa1bb2cc3dd4ee5/send", "https://a.example/***/send"],
    ["https://a.example/cards/4111111111111111", "https://a.example/cards/***"],
    ["https://a.example/orders;jsessionid=1A2B", "https://a.example/orders;jsessionid=***"],
    ["https://a.example/reset-tokens/a1b2c3", "https://a.example/reset-tokens/***"],
    ["https://a.example/api-keys/rotate", "https://a.example/api-keys/rotate"],
    ["user:pw@host/path", "***/path"],
  ])("of %j is %j", (url, shown) => {
    expect(toShownUrl(url, "masked")).toBe(shown);
    expect(toShownUrl(url, "content")).toBe(url);
  });

  it("is safe for a terminal and has at most 200 characters", () => {
    expect(toShownUrl("https://a.example/\u001B[2J", "masked")).toBe("https://a.example/\\u{1b}[2J");
    expect(toShownUrl(`https://a.example/${"ab/".repeat(1_000)}`, "masked")).toHaveLength(201);
  });
});
