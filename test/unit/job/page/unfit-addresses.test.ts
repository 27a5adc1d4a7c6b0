import { describe, expect, it } from "vitest";
import type { ItemChanges } from "../../../../src/job/message/item-changes.ts";
import { prepare } from "../../../../src/job/page/prepare.ts";
import { itemOf } from "../../../../src/job/page/publish/canary-variant.ts";
import { anyItem } from "../../../support/item-checks.ts";
import { lineageKey, lineagePayloadOf, listedLetter, rawRecord } from "../../../support/letters.ts";
import { words } from "../../../support/words.ts";

/** The item that is sent, or why it is parked. */
function sent(url: string, destination?: ItemChanges["destination"], keepsCredentials?: boolean) {
  const letter = listedLetter(rawRecord({ url }));
  const set = destination === undefined ? {} : { destination };
  const prepared = prepare(
    letter,
    { set },
    { headerPrefix: "Upstash-", lineageKey, onLoss: "park", checkItem: anyItem, keepsCredentials },
  );
  if (prepared.kind !== "item") return prepared.reason;
  letter.item = prepared.item;
  return itemOf(letter, 1);
}

const whole = "https://new.example/x";
const unfit = [
  ...words(`
    https://u:p@old.example/x https://@old.example/ https://old.example:99999/x https://old.example\\@evil.example/x
    old.example/x //old.example/x ftp://old.example/x orders https:// http:///path javascript:alert(1)
  `),
  "https://old .example/x",
  "https://old.exa\tmple/x",
  "https://old.example/\r\nX: 1",
  // Node 24 takes what is ASCII alone as it is.
  "https://\u00fc.xn--0/x",
  "https://\u00ad/x",
];

describe("an address that nothing can be sent to", () => {
  it.each(unfit)("(%j) parks its message, unless the rule sends it elsewhere", (url) => {
    expect(sent(url)).toBe("bad-destination");
    expect(sent(url, whole)).toMatchObject({ destination: whole });
  });

  it.each([
    ["https://u:p@old.example/x?q=1", { host: "new.example" }, "https://new.example/x?q=1"],
    ["https://old .example/x", { host: "new.example" }, "https://new.example/x"],
    ["https://old.example:99999/x", { host: "new.example:8443" }, "https://new.example:8443/x"],
    ["ftp://old.example/x", { scheme: "https" }, "https://old.example/x"],
    ["//old.example/x", { scheme: "http" }, "http://old.example/x"],
    ["old.example/x", { scheme: "https" }, "https://old.example/x"],
    ["https://old.example/a b?c=d", { path: "/x" }, "https://old.example/x?c=d"],
  ] as const)("%j is mended by the parts that a rule sets: %j", (url, change, expected) => {
    expect(sent(url, change)).toMatchObject({ destination: expected });
  });

  it.each([
    ["https://u:p@old.example/x", { path: "/y" }],
    ["https://old.example:99999/x", { path: "/y" }],
    ["https://old.example/a b", { host: "new.example" }],
    ["ftp://old.example/x", { host: "new.example" }],
    ["old.example/x", { host: "new.example" }],
    [whole, "orders"],
    [whole, "https://user:pw@old.example"],
    [whole, { host: "evil.example/path" }],
    [whole, { host: "user@evil.example" }],
    [whole, { host: "" }],
    [whole, { host: "a b" }],
    [whole, { path: "no-slash" }],
    [whole, { path: "/a?b" }],
  ] as const)("%j is not mended by %j", (url, change) => {
    expect(sent(url, change)).toBe("bad-destination");
  });
});

it.each([
  "https://old.example",
  "HTTP://old.example:8080/a/b?c=d,e@f#g",
  "https://[::1]/x",
  "https://münchen.example/ä",
  "http://localhost:3000/?u=a@b",
])("%j is an address", (url) => expect(sent(url)).toMatchObject({ destination: url }));

describe("an address with a user and password", () => {
  const url = "https://user:s3cret@old.example/x";

  it("is sent to if its source says so, as it is", () => {
    expect(sent(url, undefined, true)).toMatchObject({ destination: url });
    expect(sent("https://user@old.example/x", { path: "/y" }, true)).toMatchObject({
      destination: "https://user@old.example/y",
    });
    expect(sent(url, { host: "new.example" }, true)).toMatchObject({ destination: whole });
  });

  it("is not in the header that goes to whatever address a rule sets", () => {
    for (const change of [undefined, whole]) {
      const item = sent(url, change, true);
      if (typeof item === "string") throw new Error(item);
      const payload = lineagePayloadOf(item.headers["Upstash-Forward-X-Redriver"] ?? "");
      expect(payload["d"]).toBe("https://old.example/x");
    }
  });

  it.each([
    "https://a@b@old.example/x",
    "https://u:p@old.example:99999/x",
    "https://u:p@/x",
    "https://u p@a.example",
  ])("is none for that reason alone: %j", (text) =>
    expect(sent(text, undefined, true)).toBe("bad-destination"),
  );
});
