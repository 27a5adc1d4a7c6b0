import * as fc from "fast-check";
import { describe, it } from "vitest";
import { parseUrl } from "../../../../src/job/message/destination-url.ts";
import { compileHost } from "../../../../src/job/rules/patterns/host-and-path-tests.ts";
import { Subject } from "../../../../src/job/rules/subject.ts";
import { factsOf } from "../../../support/letters.ts";

const label = fc.oneof(
  fc.constantFrom(
    "api",
    "API",
    "münchen",
    "MÜNCHEN",
    "xn--mnchen-3ya",
    "straße",
    "a_b",
    "ａｐｉ",
    "日本",
    "1",
    "0x7f",
  ),
  fc.stringMatching(/^[a-zA-Z0-9_äß-]{1,5}$/u),
);
const hosts = fc.oneof(
  { weight: 4, arbitrary: fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join(".")) },
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
  fc.constantFrom("127.1", "0x7f000001", "[::1]", "[0:0::1]", "api.example"),
);
const ports = fc.constantFrom("", ":80", ":443", ":8443", ":0443");
const schemes = fc.constantFrom("http", "https", "HTTPS");
const dots = fc.constantFrom("", "", ".");

const bare = ({ hostname }: URL) => hostname.replace(/\.$/, "");
const portOf = ({ port, protocol }: URL) => port || (protocol === "https:" ? "443" : "80");

describe("a host that a rule asks for", () => {
  it("matches the addresses that URLs say are at it, and no other", () => {
    fc.assert(
      fc.property(
        fc.record({ host: hosts, dot: dots, port: ports }),
        fc.record({ host: hosts, dot: dots, port: ports }),
        schemes,
        fc.boolean(),
        (asked, drawn, scheme, isSame) => {
          const listed = isSame ? { ...drawn, host: asked.host } : drawn;
          const address = parseUrl(`${scheme}://${listed.host}${listed.dot}${listed.port}/x`);
          const same = parseUrl(`${scheme}://${asked.host}${asked.dot}${asked.port}/`);
          if (address === null || same === null) return;
          const expected =
            bare(address) === bare(same) && (asked.port === "" || portOf(address) === portOf(same));
          const forms = new Subject(factsOf({ url: address.href })).host();
          const value = `${asked.host}${asked.dot}${asked.port}`;
          const found = forms !== undefined && compileHost({ kind: "exact", value })(forms);
          if (found !== expected) throw new Error(`${value} at ${address.href}: ${found}`);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
