import { describe, expect, it } from "vitest";
import type { BatchItem, RawRecord } from "../../../../src/job/message/dead-letter.ts";
import {
  isProofUrl,
  readProofCallback,
  withOwnCallback,
  withProofCallback,
} from "../../../../src/job/message/proof-callback-url.ts";
import { rawRecord } from "../../../support/letters.ts";
import { itemOf, parkOf } from "../../../support/rebuilt.ts";

const address = "https://redriver.example.com/callbacks/eu";
const key = "key";
const own = {
  callback: "https://cb.example.com/c?x=1&redriver-callback=none",
  callbackHeader: { "X-C": ["1"], Authorization: ["Bearer secret"], "x-d": ["a", "b"] },
};

const proven = (item: BatchItem, headerPrefix = "Upstash-"): BatchItem => {
  const changed = withProofCallback(item, headerPrefix, address, key);
  if (changed === null) throw new Error("the address is too long");
  return changed;
};
const callbackOf = (item: BatchItem): string => item.headers["Upstash-Callback"] ?? "";

/** What the service lists of the callback of an item that died. */
function listed(item: BatchItem): RawRecord {
  const forward = "Upstash-Callback-Forward-";
  const header = Object.entries(item.headers).flatMap(([name, value]) =>
    name.startsWith(forward) ? [[name.slice(forward.length), [value]]] : [],
  );
  return rawRecord({
    callback: callbackOf(item),
    ...(header.length === 0 ? {} : { callbackHeader: Object.fromEntries(header) as unknown }),
  });
}

describe("a message's own callback, behind ours", () => {
  it("is put back in the record as it was, and the same item is made of it", () => {
    const item = itemOf(own);
    const raw = withOwnCallback(listed(proven(item)), [key]);
    expect(raw["callback"]).toBe(own.callback);
    expect(itemOf(raw)).toEqual(item);
    expect(itemOf(withOwnCallback(listed(proven(itemOf(raw))), [key]))).toEqual(item);
  });

  it("is none where the message had none, whatever keys are known", () => {
    const item = itemOf({});
    const raw = withOwnCallback(listed(proven(item)), []);
    expect(raw).toEqual(rawRecord());
    expect(itemOf(raw)).toEqual(item);
  });

  it("is read under an old key, and by nobody without one", () => {
    const url = callbackOf(proven(itemOf(own)));
    expect(readProofCallback(url, ["new", key])).toMatchObject({ kind: "own", own: { url: own.callback } });
    expect(readProofCallback(url, ["new", ""])).toEqual({ kind: "sealed" });
    const raw = listed(proven(itemOf(own)));
    expect(withOwnCallback(raw, ["new"])).toBe(raw);
    expect(parkOf(raw)).toBe("callback-sealed");
    expect(itemOf(raw, { callback: null }).headers).not.toHaveProperty("Upstash-Callback");
  });

  it("shows nothing of itself, and is not read once a character is changed", () => {
    const url = callbackOf(proven(itemOf(own)));
    expect(url).not.toContain("cb.example.com");
    const at = url.length - 30;
    const changed = url.slice(0, at) + (url[at] === "A" ? "B" : "A") + url.slice(at + 1);
    expect(readProofCallback(changed, [key])).toEqual({ kind: "sealed" });
  });

  it("is sealed the same each time, and differently for each", () => {
    expect(proven(itemOf(own))).toEqual(proven(itemOf(own)));
    const other = proven(itemOf({ ...own, callbackHeader: {} }));
    expect(callbackOf(other).slice(0, 80)).not.toBe(callbackOf(proven(itemOf(own))).slice(0, 80));
  });

  it("written by a later version is left for that", () => {
    expect(readProofCallback(`${address}?redriver-callback=v2.abc`, [key])).toEqual({ kind: "sealed" });
  });
});

it.each([
  [`${address}?redriver-callback=none`, true],
  [address, false],
  [`${address}/x?redriver-callback=none`, false],
  [`${address}?redriver-callback=none&x=1`, false],
  ["https://other.example.com/?redriver-callback=none", false],
])("%s is one of ours: %s", (url, isOurs) => {
  expect(isProofUrl(url, address)).toBe(isOurs);
});
