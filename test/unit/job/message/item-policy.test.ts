import { describe, expect, it } from "vitest";
import type { BatchItem } from "../../../../src/job/message/dead-letter.ts";
import {
  createItemCheck,
  parseHostPattern,
  type ItemPolicy,
} from "../../../../src/job/message/item-policy.ts";
import { builtInPolicy } from "../../../support/item-checks.ts";
import { words } from "../../../support/words.ts";

const service = "https://qstash.upstash.io";

function check(
  item: Partial<BatchItem>,
  policy: Partial<ItemPolicy> = {},
  sourceUrl: string | undefined = service,
  bytes = 100,
) {
  const whole = { destination: "https://api.example.com/x", headers: {}, ...item };
  return createItemCheck({ ...builtInPolicy, ...policy }, "Upstash-", sourceUrl)(whole, bytes);
}

const to = (destination: string, policy: Partial<ItemPolicy> = {}, sourceUrl?: string) =>
  check({ destination }, policy, sourceUrl);

describe("a destination", () => {
  it.each(
    words(`
      http://localhost/ https://LOCALHOST:8443/x http://localhost./ http://api.localhost/
      http://%6cocalhost/ http://127.0.0.1:6379/ http://127.1/ http://2130706433/ http://0x7f000001/
      http://017700000001/ http://127.0.0.1./ http://１２７.0.0.1/ http://0/ http://10.1.2.3/
      http://100.64.0.1/ http://100.100.100.200/latest/meta-data http://169.254.169.254/latest/meta-data
      http://172.16.0.1/ http://172.31.255.255/ http://192.168.1.1/ http://224.0.0.1/
      http://255.255.255.255/ http://[::]/ http://[::1]:80/ http://[::ffff:127.0.0.1]/
      http://[::ffff:a9fe:a9fe]/ http://[::10.0.0.1]/ http://[64:ff9b::10.0.0.1]/
      http://[::ffff:0:10.0.0.1]/ http://[100::1]/ http://[2002:7f00:1::]/ http://[fc00::1]/
      http://[fdff::1]/ http://[fe80::1]/ http://[febf::1]/ http://[ff02::1]/
    `),
  )("of this machine or its networks is refused: %s", (destination) => {
    expect(to(destination)).toBe("destination-not-allowed");
    expect(to(destination, { allowPrivate: "no" }, "http://127.0.0.1:8080")).toBe("destination-not-allowed");
    expect(to(destination, { allowPrivate: "yes" })).toBeNull();
  });

  it.each(
    words(`
      https://api.example.com/orders http://localhost.example.com/ https://mylocalhost/
      http://9.255.255.255/ http://11.0.0.0/ http://100.63.255.255/ http://100.128.0.0/
      http://126.255.255.255/ http://128.0.0.0/ http://169.253.255.255/ http://172.15.255.255/
      http://172.32.0.0/ http://192.167.255.255/ http://192.169.0.0/ http://223.255.255.255/
      http://[2001:db8::1]/ http://[2606:4700::1111]/ http://[::ffff:8.8.8.8]/ http://10.0.0.1.example.com/
    `),
  )("elsewhere is not: %s", (destination) => {
    expect(to(destination)).toBeNull();
    expect(to(destination, { allowPrivate: "no" })).toBeNull();
  });

  it.each(["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:1", "https://10.0.0.5"])(
    "may be private where the service itself is, at %s",
    (sourceUrl) => {
      expect(to("http://127.0.0.1:9000/hook", {}, sourceUrl)).toBeNull();
    },
  );

  it("may be private where it is named in full, and not by a pattern", () => {
    expect(to("http://10.0.0.5:81/", { allowHosts: ["*", "10.0.0.5"] })).toBeNull();
    expect(to("http://10.0.0.6/", { allowHosts: ["*", "10.0.0.5"] })).toBe("destination-not-allowed");
    expect(to("http://10.0.0.5/", { allowHosts: ["10.0.0.5"], allowPrivate: "no" })).toBe(
      "destination-not-allowed",
    );
    expect(to("http://a.localhost/", { allowHosts: ["*.localhost"] })).toBe("destination-not-allowed");
  });

  it.each<[string, boolean]>([
    ["https://example.com/", true],
    ["https://EXAMPLE.com./", true],
    ["https://example.com:8443/", true],
    ["https://a.b.example.org/", true],
    ["https://example.org/", false],
    ["https://notexample.org/", false],
    ["https://www.example.com/", false],
    ["https://example.com.evil.test/", false],
    ["https://xn--bcher-kva.example/", true],
    ["https://bücher.example/", true],
    ["https://[2001:DB8:0::1]/", true],
  ])("is held against the hosts that are allowed: %s", (destination, allowed) => {
    const written = ["example.com", "*.Example.org", "bücher.example", "2001:db8::1"];
    const allowHosts = written.map((text) => parseHostPattern(text) ?? "none");
    expect(to(destination, { allowHosts }) === null).toBe(allowed);
  });

  it("is held against the schemes that are allowed", () => {
    expect(to("http://api.example.com/", { allowSchemes: ["https"] })).toBe("destination-not-allowed");
    expect(to("HTTPS://api.example.com/", { allowSchemes: ["https"] })).toBeNull();
  });
});

describe("a callback", () => {
  it.each(["Upstash-Callback", "Upstash-Failure-Callback", "upstash-failure-callback"])(
    "is an address too: %s",
    (name) => {
      expect(check({ headers: { [name]: "http://169.254.169.254/" } })).toBe("destination-not-allowed");
      expect(check({ headers: { [name]: "https://u:p@10.0.0.1/" } })).toBe("destination-not-allowed");
      expect(check({ headers: { [name]: "https://cb.example.com/" } })).toBeNull();
      expect(
        check({ headers: { [name]: "https://cb.example.com/" } }, { allowHosts: ["api.example.com"] }),
      ).toBe("destination-not-allowed");
    },
  );

  it("is not what a header of the message says", () => {
    const headers = { "Upstash-Forward-Callback": "http://127.0.0.1/", "Upstash-Callback-Forward-X": "a" };
    expect(check({ headers, queue: "127.0.0.1" })).toBeNull();
  });
});

it("an item may have so many bytes, headers and bytes of headers, and no more", () => {
  expect(check({}, { maxMessageBytes: 100 }, service, 100)).toBeNull();
  expect(check({}, { maxMessageBytes: 100 }, service, 101)).toBe("over-limit");
  const headers = { "X-A": "ü", "X-B": "2" };
  expect(check({ headers }, { maxHeaders: 2, maxHeaderBytes: 9 })).toBeNull();
  expect(check({ headers }, { maxHeaders: 1 })).toBe("over-limit");
  expect(check({ headers }, { maxHeaderBytes: 8 })).toBe("over-limit");
});

describe("a host to allow", () => {
  it.each([
    ["Example.COM.", "example.com"],
    ["*.Example.com", "*.example.com"],
    ["*", "*"],
    ["::1", "[::1]"],
    ["[fd00::1]", "[fd00::1]"],
    ["0x7f.1", "127.0.0.1"],
    ["localhost", "localhost"],
  ])("is kept as a URL spells it: %s", (text, kept) => {
    expect(parseHostPattern(text)).toBe(kept);
  });

  it.each(["", ".", "*.", "a*", "*.*.com", "a.*", "https://a.example", "a.example:80", "a/b", "a b", "u@a"])(
    "is none: %j",
    (text) => {
      expect(parseHostPattern(text)).toBeNull();
    },
  );
});

it("our own address may be called back, whatever the policy says of others", () => {
  const proofAddress = "http://10.0.0.7/callbacks/eu";
  const policy = { ...builtInPolicy, allowHosts: ["api.example.com"] };
  const own = createItemCheck(policy, "Upstash-", service, proofAddress);
  const calling = (callback: string) =>
    own({ destination: "https://api.example.com/x", headers: { "Upstash-Callback": callback } }, 100);
  expect(calling(`${proofAddress}?redriver-callback=none`)).toBeNull();
  expect(calling(proofAddress)).toBe("destination-not-allowed");
  expect(calling("http://10.0.0.7/")).toBe("destination-not-allowed");
});
