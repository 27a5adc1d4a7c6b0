import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { verifySignature } from "../../../../src/job/callbacks/verify-signature.ts";
import { signClaims } from "../../../support/signed-callback.ts";

const url = "https://redriver.example.com/callbacks/eu?redriver-callback=none";
const now = 1_800_000_000_000;
const seconds = now / 1_000;
const body = Buffer.from('{"status":200}');
const hash = createHash("sha256").update(body).digest("base64url");
const good = {
  iss: "Upstash",
  sub: url,
  exp: seconds + 300,
  nbf: seconds,
  iat: seconds,
  jti: "j",
  body: hash,
};

const sign = (claims: object, key = "sig_current", header?: object): string =>
  signClaims(claims, key, header);

const keys = ["sig_current", "sig_next"];
const verify = (token: string | undefined, more: { keys?: string[]; now?: number } = {}) =>
  verifySignature(token, { url, keys, now, ...more });
const whyNot = async (token: string | undefined, more: { keys?: string[]; now?: number } = {}) => {
  const verdict = await verify(token, more);
  return verdict.kind === "unverified" ? verdict.why : verdict.kind;
};

describe("a signature", () => {
  it.each(keys)("by the key %s is taken, for its body alone", async (key) => {
    const verdict = await verify(sign(good, key));
    if (verdict.kind !== "verified") throw new Error(verdict.why);
    expect(verdict.isFor(body)).toBe(true);
    expect(verdict.isFor(Buffer.from('{"status":500}'))).toBe(false);
  });

  it("may have its body's hash padded", async () => {
    const verdict = await verify(sign({ ...good, body: `${hash}=` }));
    expect(verdict.kind === "verified" && verdict.isFor(body)).toBe(true);
  });

  it("is for no body where its hash is none", async () => {
    const verdict = await verify(sign({ ...good, body: 7 }));
    expect(verdict.kind === "verified" && verdict.isFor(Buffer.alloc(0))).toBe(false);
  });

  it.each([
    ["that is missing", undefined, "without a signature"],
    ["by another key", sign(good, "other"), "by none of the signing keys"],
    ["for another address", sign({ ...good, sub: "https://other.example.com" }), "for another address"],
    ["for the same address with another query", sign({ ...good, sub: `${url}x` }), "for another address"],
    ["that is over", sign({ ...good, exp: seconds - 61 }), "no longer valid"],
    ["that begins later", sign({ ...good, nbf: seconds + 61 }), "not valid yet"],
    ["without a body", sign({ ...good, body: undefined }), "without what a signature must say"],
    ["without an end", sign({ ...good, exp: undefined }), "without what a signature must say"],
    ["without an address", sign({ ...good, sub: undefined }), "without what a signature must say"],
    ["that signs nothing", sign(good, "", { alg: "none" }), "with a signature of another form"],
    ["by another algorithm", sign(good, "sig_current", { alg: "HS512" }), "with a signature of another form"],
    ["that is no JWT", "v1.abc", "with a signature of another form"],
    ["that is empty", "", "with a signature of another form"],
  ])("%s is refused", async (_, token, why) => {
    expect(await whyNot(token)).toBe(why);
  });

  it.each([
    ["a minute over", { ...good, exp: seconds - 59 }],
    ["to begin in a minute", { ...good, nbf: seconds + 59 }],
  ])("may be %s, because clocks differ", async (_, claims) => {
    expect(await whyNot(sign(claims))).toBe("verified");
  });

  it("is taken by nobody who has no keys", async () => {
    expect(await whyNot(sign(good), { keys: [] })).toBe("by none of the signing keys");
  });
});
