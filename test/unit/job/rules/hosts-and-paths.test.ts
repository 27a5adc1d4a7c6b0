import { describe, expect, it } from "vitest";
import { toDestinationName } from "../../../../src/job/message/destination-names.ts";
import { laneOriginOf } from "../../../../src/job/message/destination-url.ts";
import { compileHostGlob } from "../../../../src/job/rules/patterns/host-and-path-tests.ts";
import { drainOf, problemsOf, withDrain } from "../../../support/loaded-document.ts";
import { loadWhen } from "../../../support/decide-by-document.ts";

const quoted = JSON.stringify;
const hostOf = (host: string) => loadWhen(`{ host: ${quoted(host)} }`);

/** A host as it is written, and an address at it: test/property/job/rules/hosts.test.ts draws others. */
const spellings: readonly (readonly [string, string])[] = [
  ["münchen.example", "https://münchen.example/x"],
  ["api.example.net:443", "https://api.example.net/"],
  ["::1", "http://[::1]/"],
  ["::ffff:10.0.0.1", "https://[::ffff:a00:1]/"],
  ["a\u200bpi.example.net", "https://api.example.net/"],
  ["api。example.net", "https://api.example.net/"],
  ["under_score.example", "https://under_score.example/"],
];

describe("a host in another spelling", () => {
  it.each(spellings)("is the same destination for people and rewrites: %s", (host, url) => {
    const name = toDestinationName(host);
    expect(name).not.toBeNull();
    // What is set goes where the rule asks for, and what a person names.
    const rule = `{ when: any, then: republish, set: { destination: { host: ${quoted(host)} } } }`;
    expect(drainOf(withDrain(`rules: [${rule}]`)).rules[0]?.set?.destination).toEqual({ host: name });
    const whole = quoted(`https://${host}/Ä?b`);
    const expected = drainOf(
      withDrain(`rules: [{ when: any, then: republish, set: { destination: ${whole} } }]`),
    ).rules[0]?.set?.destination;
    expect(typeof expected === "string" && expected.endsWith("/Ä?b")).toBe(true);
    const known = new URL(url).host.replace(/\.$/, "");
    expect(compileHostGlob(host)(known)).toBe(true);
  });

  it.each([
    ["*.münchen.example", "https://a.xn--mnchen-3ya.example/"],
    ["mün*.example", "https://münchen.example/"],
    ["*.example.net:443", "https://api.example.net/"],
    ["2001:db8:*", "https://[2001:db8::1]/"],
    ["xn--*", "https://münchen.example/"],
  ])("is so in a glob: %s", (host, url) => {
    expect(hostOf(host).problems).toEqual([]);
    expect(hostOf(host).matches({ url })).toBe(true);
  });

  it("is so in a prefix, a suffix and an expression", () => {
    const url = "https://münchen.example:8443/";
    for (const form of [
      "{ prefix: mün }",
      "{ suffix: nchen.example }",
      "{ suffix: ünchen.EXAMPLE. }",
      '{ suffix: ".example:8443" }',
      "{ regex: ^münchen }",
      "{ regex: '^xn--mnchen-3ya[.]' }",
      "{ regex: ':8443$' }",
    ]) {
      expect(loadWhen(`{ host: ${form} }`).matches({ url }), form).toBe(true);
    }
    // The usual port is not part of what an expression or a star sees.
    expect(loadWhen('{ host: "*:*" }').matches({ url: "https://a.example/" })).toBe(false);
    expect(loadWhen("{ host: { regex: ':443$' } }").matches({ url: "https://a.example/" })).toBe(false);
  });

  it("shares its lane and its pauses with a dot at the end", () => {
    expect(laneOriginOf({ destination: "https://api.example.net./x" })).toBe("https://api.example.net");
    expect(toDestinationName("https://API.example.net.:443/")).toBe("https://api.example.net");
  });
});

describe("a host that no receiver has", () => {
  it.each(["${HOST}", "{{ host }}", "api–eu.example.com", "“api.example.com”", "a.example,b.example", "(a)"])(
    "is refused in when, set and a pause: %s",
    (host) => {
      expect(hostOf(host).problems).toEqual([
        expect.stringMatching(
          /^drains\.yaml:6:\d+ .*when\.host: (no receiver has this host|can never match): .*; expected a host such as /,
        ),
      ]);
      for (const destination of [`{ host: ${quoted(host)} }`, quoted(`https://${host}/x`)]) {
        const rule = `{ when: any, then: republish, set: { destination: ${destination} } }`;
        expect(problemsOf(withDrain("rules:", `  - ${rule}`)), destination).toEqual([
          expect.stringMatching(
            /^drains\.yaml:6:\d+ drains\.orders\.rules\[0\]\.set\.destination.*: expected a/,
          ),
        ]);
      }
      expect(toDestinationName(host)).toBeNull();
      expect(toDestinationName(`https://${host}`)).toBeNull();
    },
  );

  it("is taken as it is below equals, because an address may have it", () => {
    const rule = loadWhen('{ host: { equals: "${HOST}" } }');
    expect(rule.matches({ url: "https://${HOST}/x" })).toBe(true);
  });
});

describe("a path in another spelling", () => {
  const same = ["/café", "/caf%C3%A9", "/caf%c3%a9", "/c%61fé"];
  it.each(same)("is the same path: %s", (path) => {
    const rule = loadWhen(`{ path: ${quoted(path)} }`);
    expect(rule.problems).toEqual([]);
    for (const other of same) expect(rule.matches({ url: `https://a.example${other}?q` }), other).toBe(true);
    expect(rule.matches({ url: "https://a.example/cafe" })).toBe(false);
  });

  it.each([
    ["/%7Eanna", "/~anna"],
    ["/{id}", "/%7Bid%7D"],
    ["/a/../b", "/b"],
    ["/a\\b", "/a/b"],
    ["/café/*", "/caf%c3%a9/1"],
  ])("%s is %s", (path, listed) => {
    const rule = loadWhen(`{ path: ${quoted(path)} }`);
    expect(rule.problems).toEqual([]);
    expect(rule.matches({ url: `https://a.example${listed}` })).toBe(true);
  });

  it.each([
    ["/a%2Fb", "/a/b"],
    ["/A", "/a"],
    ["/%2a", "/b"],
  ])("%s is not %s", (path, listed) => {
    expect(loadWhen(`{ path: ${quoted(path)} }`).matches({ url: `https://a.example${listed}` })).toBe(false);
  });

  it("is so in a prefix, a suffix and an expression", () => {
    const url = "https://a.example/caf%c3%a9/%7Eanna";
    for (const form of ["{ prefix: /café/ }", "{ suffix: é/~anna }", "{ regex: ^/café/ }"]) {
      expect(loadWhen(`{ path: ${form} }`).matches({ url }), form).toBe(true);
    }
  });

  it("is none of an address without a host", () => {
    for (const url of ["mailto:a@b.example", "localhost:3000/x", "nowhere"]) {
      expect(loadWhen("{ path: none, host: none }").matches({ url }), url).toBe(true);
    }
  });
});
