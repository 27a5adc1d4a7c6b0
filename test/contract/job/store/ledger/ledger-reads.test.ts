/** What is read of entries without a listing: pages of what is parked, and a peek. */
import { beforeEach, describe, expect, test } from "vitest";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import type { ParkedPage, ParkedPlace } from "../../../../../src/job/contracts/ledger.ts";
import {
  parkAs,
  factOf,
  begin,
  defaultLimits,
  dlqId,
  drain,
  standsOn,
  takeoverMs,
  token,
  type LedgerStand,
} from "../../../../support/ledger-stands.ts";

const create = standsOn();
const a = token("a");
const id = dlqId(1);
const byRules = { drain, rulesHash: "h", token: null };

async function parkedIds(): Promise<readonly DlqId[]> {
  const found = new Set<DlqId>();
  let place: ParkedPlace | null = null;
  do {
    const page: ParkedPage = await ledger.parked(place, 100);
    expect(page.entries.length).toBeLessThanOrEqual(100);
    for (const { dlqId } of page.entries) found.add(dlqId);
    place = page.next;
  } while (place !== null);
  return [...found];
}

let stand: LedgerStand;
let ledger: LedgerStand["ledger"];
beforeEach(async () => {
  stand = await create();
  ({ ledger } = stand);
});

describe("what is parked", () => {
  test("keeps its kind of failure, also when it is parked again by who does not know it", async () => {
    const view = async () => (await ledger.peek([id])).views[0];
    await ledger.park([{ dlqId: id, reason: "vanished", attempt: 1 }], byRules);
    expect(await view()).not.toHaveProperty("failure");
    await ledger.park([{ dlqId: id, reason: "refused", attempt: 1, failure: "0123456789" }], byRules);
    expect(await view()).toMatchObject({ reason: "refused", failure: "0123456789" });
    await ledger.park([{ dlqId: id, reason: "vanished", attempt: 1 }], byRules);
    expect(await view()).toMatchObject({ reason: "vanished", failure: "0123456789" });
    await ledger.park([{ dlqId: id, reason: "refused", attempt: 1, failure: "abcdef0123" }], byRules);
    expect(await view()).toMatchObject({ failure: "abcdef0123" });
  });

  test("is answered with its reason, drain and attempts, and nothing else is", async () => {
    expect(await ledger.parked(null, 10)).toMatchObject({ entries: [], total: 0, next: null });
    await begin(stand, dlqId(2), a);
    await ledger.park([{ dlqId: id, reason: "attempts-exhausted", attempt: 5 }], byRules);
    expect(await ledger.parked(null, 10)).toMatchObject({
      entries: [
        {
          dlqId: id,
          view: { state: "parked", reason: "attempts-exhausted", drain, rulesHash: "h", attempt: 5 },
        },
      ],
      total: 1,
      next: null,
    });
  });

  test("is answered page by page, every one of it", async () => {
    const ids = Array.from({ length: 950 }, (_, n) => dlqId(n));
    for (let at = 0; at < ids.length; at += 100) {
      await ledger.park(
        ids.slice(at, at + 100).map((one) => ({ dlqId: one, reason: "refused", attempt: 0 })),
        byRules,
      );
    }
    expect((await parkedIds()).toSorted()).toEqual(ids.toSorted());
    expect((await ledger.parked(null, 100)).total).toBe(950);
  });

  test("is answered in the order of its last listing, also if the place has moved since", async () => {
    for (const n of [1, 2, 3]) {
      await parkAs(stand, dlqId(n), "refused");
      await stand.advance(1_000);
    }
    const first = await ledger.parked(null, 1);
    expect(first.entries).toMatchObject([{ dlqId: dlqId(1) }]);
    await ledger.look([dlqId(1)]);
    const rest = await ledger.parked(first.next, 10);
    expect(rest.entries.map((one) => one.dlqId)).toEqual([dlqId(2), dlqId(3), dlqId(1)]);
    expect(rest.next).toBeNull();
  });

  test("is what was not released, published or begun again since", async () => {
    for (const n of [1, 2, 3, 4]) await parkAs(stand, dlqId(n), "rule");
    await ledger.release([dlqId(1)]);
    await ledger.published([factOf(dlqId(2), "x")]);
    await begin(stand, dlqId(3), a, { rulesHash: "h2" });
    expect(await parkedIds()).toEqual([dlqId(4)]);
    await parkAs(stand, dlqId(3), "refused", a);
    expect((await parkedIds()).toSorted()).toEqual([dlqId(3), dlqId(4)]);
  });

  test("is forgotten with its entry, and remembered as long as it is listed", async () => {
    await parkAs(stand, id, "refused");
    await parkAs(stand, dlqId(2), "refused");
    await stand.advance(defaultLimits.retentionMs - 60_000);
    await ledger.look([id]);
    await stand.advance(60_001);
    expect(await parkedIds()).toEqual([id]);
    await parkAs(stand, dlqId(3), "refused");
    expect((await parkedIds()).toSorted()).toEqual([id, dlqId(3)]);
  });
});

const published = (n: number) => factOf(dlqId(n), `p${n}`);

describe("peek", () => {
  test("says of every state what a look says", async () => {
    await begin(stand, [dlqId(1), dlqId(2), dlqId(3), dlqId(4)], a);
    await ledger.refused([{ dlqId: dlqId(2), outcome: "refused", coolMs: 60_000 }], a);
    await parkAs(stand, dlqId(3), "refused", a);
    await ledger.published([published(4), published(5)]);
    await ledger.gone([dlqId(5)]);
    await stand.advance(takeoverMs + 1);
    const ids = [0, 1, 2, 3, 4, 5].map(dlqId);
    const { views } = await ledger.peek(ids);
    expect(views.map(({ state }) => state).join(" ")).toBe("absent open cool parked published gone");
    expect(views).toEqual((await ledger.look(ids)).views);
  });

  test("keeps nothing alive and is no listing: a published entry expires, and a full pass makes it gone", async () => {
    await ledger.published([published(1), published(2)]);
    await stand.advance(1_000);
    const passStartedAt = stand.now();
    await ledger.peek([dlqId(1)]);
    await ledger.look([dlqId(2)]);
    expect((await ledger.markUnlistedGone(drain, passStartedAt)).count).toBe(1);
    expect((await ledger.peek([dlqId(1), dlqId(2)])).views).toMatchObject(
      ["gone", "published"].map((state) => ({ state })),
    );

    await parkAs(stand, dlqId(3), "refused");
    await stand.advance(defaultLimits.retentionMs - 1_000);
    await ledger.peek([dlqId(3)]);
    await stand.advance(1_001);
    expect((await ledger.peek([dlqId(3)])).views).toEqual([{ state: "absent" }]);
  });
});
