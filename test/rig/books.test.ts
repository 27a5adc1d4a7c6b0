import { expect, it } from "vitest";
import type { Emulator, EntryOf } from "../../dev/emulator/index.ts";
import { createBooks } from "./books.ts";

/** Books over one dead letter and the entries that are given. */
function booksOf(fate: "republish" | "drop", ...entries: readonly object[]) {
  const books = createBooks({ dedupWindowMs: 1_000, isRepublished: () => true, sourceId: "default" });
  books.judge.born({ dlqId: "1-0", root: "m-1", fate, bodySha256: "sha" }, 0);
  const journal = entries.map((entry, index) => ({ ...entry, seq: index + 1, at: index + 1 }));
  books.readJournal({
    entries: (type: string, after = 0) =>
      (journal as EntryOf<"accepted">[]).filter((entry) => entry.type === type && entry.seq > after),
  } as Emulator["journal"]);
  return { ...books, broken: () => books.judge.violations.map(({ rule }) => rule) };
}
const deleted = { type: "deleted", dlqIds: ["1-0"], by: "ids" };
const accepted = {
  type: "accepted",
  deduplicationId: "redriver-1-0",
  messageId: "m",
  bodySha256: "sha",
  url: "u",
};
const queue = (...ids: readonly string[]) =>
  ({ size: ids.length, find: (id: string) => (ids.includes(id) ? {} : undefined) }) as Emulator["dlq"];
const archive = (...dropped: readonly string[]) => ({ dropped: new Set(dropped), copied: new Set<string>() });

it("a delete without an acceptance is proved by the archive alone, and only for a drop", () => {
  const drop = booksOf("drop", deleted);
  expect(drop.proveDeletions(() => archive("1-0"))).toBe(1);
  expect(drop.broken()).toEqual([]);
  const unproven = booksOf("drop", deleted);
  expect(unproven.proveDeletions(() => archive())).toBe(0);
  expect(unproven.broken()).toEqual(["deleted-unproven"]);
  const other = booksOf("republish", deleted);
  other.proveDeletions(() => archive("1-0"));
  expect(other.broken()).toEqual(["against-the-rules"]);
});

it("entries are judged in their order, whatever their type: an acceptance after the delete proves nothing", () => {
  const books = booksOf("republish", deleted, accepted);
  books.proveDeletions(() => archive());
  expect(books.broken()).toEqual(["deleted-unproven"]);
  const right = booksOf("republish", accepted, deleted);
  right.proveDeletions(() => archive());
  expect(right.broken()).toEqual([]);
});

it("what is neither in the queue nor accepted is lost, and what nobody knows of is no less wrong", () => {
  const there = booksOf("republish");
  there.judgeQueue(queue("1-0"));
  expect(there.broken()).toEqual([]);
  const lost = booksOf("republish");
  lost.judgeQueue(queue());
  expect(lost.broken()).toEqual(["lost", "emulator"]);
  const more = booksOf("republish");
  more.judgeQueue(queue("1-0", "2-0"));
  expect(more.broken()).toEqual(["emulator"]);
});
