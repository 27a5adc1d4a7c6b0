import { expect, it } from "vitest";
import { createLineageKeys } from "../../../../src/job/message/lineage.ts";
import type { SourceId } from "../../../../src/job/contracts/ids.ts";

const source = "default" as SourceId;
const keysOf = (token: string, key?: string, oldKeys: readonly string[] = []) =>
  createLineageKeys({ value: () => token }, { key, oldKeys }, source)();

it("signs with the fixed key, and verifies what was signed before there was one", () => {
  const [ofToken] = keysOf("token-of-the-service");
  const [fixed, ...others] = keysOf("token-of-the-service", "a-key-of-its-own");
  expect(fixed).not.toBe(ofToken);
  expect(others).toEqual([ofToken]);
});

it("verifies under former keys, and under a former token that is named as one", () => {
  const [formerKey] = keysOf("token-of-the-service", "the-former-key");
  const [formerToken] = keysOf("the-former-token");
  const named = ["the-former-key", "the-former-token"];
  const [, ...others] = keysOf("token-of-the-service", "a-key-of-its-own", named);
  expect(others).toEqual(expect.arrayContaining([formerKey, formerToken]));
});

it("verifies under tokens that were rotated away while it runs", () => {
  const token = { current: "the-former-token" };
  const keys = createLineageKeys({ value: () => token.current }, { key: undefined, oldKeys: [] }, source);
  const [former] = keys();
  token.current = "token-of-the-service";
  expect(keys()).toEqual([keysOf("token-of-the-service")[0], former]);
});

it("has other keys for another source", () => {
  const token = { value: () => "token-of-the-service" };
  const other = createLineageKeys(token, { key: undefined, oldKeys: [] }, "eu")();
  expect(other).not.toEqual(keysOf("token-of-the-service"));
});
