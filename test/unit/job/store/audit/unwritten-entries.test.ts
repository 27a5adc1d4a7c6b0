import { describe, expect, test } from "vitest";
import { createAuditOver } from "../../../../../src/job/store/audit/unwritten-entries.ts";
import { RedriverError } from "../../../../../src/job/contracts/errors.ts";
import type { NewAuditEntry } from "../../../../../src/job/contracts/audit.ts";
import { entry, idsOf } from "../../../../support/audit-entry.ts";

/** Something that writes, and can be away. */
function createStore() {
  const written: NewAuditEntry[] = [];
  const store = {
    written,
    isAway: false,
    write: async (entries: readonly NewAuditEntry[]): Promise<void> => {
      await Promise.resolve();
      if (store.isAway) throw new RedriverError("redis-unavailable", "away");
      written.push(...entries);
    },
  };
  return store;
}

describe("an entry that cannot be written", () => {
  test("stops its act, and is not written later", async () => {
    const store = createStore();
    const audit = createAuditOver(store.write);
    store.isAway = true;
    await expect(audit.append([entry("1-0")])).rejects.toMatchObject({ code: "redis-unavailable" });
    store.isAway = false;
    await audit.append([entry("2-0")]);
    expect(idsOf(store.written)).toEqual(["2-0"]);
  });

  test("of a fact is written before whatever is written next, once", async () => {
    const store = createStore();
    const audit = createAuditOver(store.write);
    store.isAway = true;
    await audit.record([entry("1-0")]);
    await audit.record([entry("2-0")]);
    await expect(audit.append([entry("3-0")])).rejects.toMatchObject({ code: "redis-unavailable" });
    store.isAway = false;
    await Promise.all([audit.append([entry("4-0")]), audit.record([entry("5-0")])]);
    expect(idsOf(store.written)).toEqual(["1-0", "2-0", "4-0", "5-0"]);
  });

  test("of facts is kept a thousand times, the newest", async () => {
    const store = createStore();
    const audit = createAuditOver(store.write);
    store.isAway = true;
    for (let n = 0; n < 1_500; n += 1) await audit.record([entry(`${n}-0`)]);
    store.isAway = false;
    await audit.append([]);
    expect(store.written).toHaveLength(1_000);
    expect(idsOf(store.written).at(0)).toBe("500-0");
    expect(idsOf(store.written).at(-1)).toBe("1499-0");
  });

  test("is told of only as far as it is true: an intent once it is written, a fact at once, and again if Redis did not take it", async () => {
    const store = createStore();
    const told: NewAuditEntry[] = [];
    const unwritten: NewAuditEntry[] = [];
    const audit = createAuditOver(
      store.write,
      (one, state) => void (state === undefined ? told : unwritten).push(one),
    );
    store.isAway = true;
    await expect(audit.append([entry("1-0")])).rejects.toThrow("away");
    await audit.record([entry("2-0")]);
    expect(idsOf(told)).toEqual(["2-0"]);
    store.isAway = false;
    await audit.append([entry("3-0")]);
    expect(idsOf(told)).toEqual(["2-0", "3-0"]);
    expect(idsOf(unwritten)).toEqual(["2-0"]);
  });
});
