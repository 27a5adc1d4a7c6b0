import { expect, test } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { toDeletePath, toListPath } from "../../../../src/job/service/request-paths.ts";

const ids = (...texts: string[]): DlqId[] => texts as DlqId[];
const broken = expect.objectContaining({ code: "invariant-broken" });

test("a listing repeats a parameter for several values and never joins them", () => {
  const path = toListPath("", {
    select: { url: ["https://a.example/x,y", "https://b.example/?q=1&r=2"], responseStatus: [500, 503] },
    fromDate: 0,
    toDate: 1_700_000_000_000,
    count: 100,
    cursor: "a b+c",
  });
  const { pathname, searchParams } = new URL(path, "http://test");
  expect(pathname).toBe("/v2/dlq");
  expect([...searchParams]).toEqual([
    ["url", "https://a.example/x,y"],
    ["url", "https://b.example/?q=1&r=2"],
    ["responseStatus", "500"],
    ["responseStatus", "503"],
    ["fromDate", "0"],
    ["toDate", "1700000000000"],
    ["count", "100"],
    ["cursor", "a b+c"],
  ]);
});

test("every filter is sent by the service's own name", () => {
  const select = {
    messageId: "msg_1",
    url: ["u"],
    topicName: ["t"],
    scheduleId: ["s"],
    queueName: ["q"],
    responseStatus: [500],
    callerIp: ["1.2.3.4"],
    label: ["l"],
    flowControlKey: ["k"],
  };
  const { searchParams } = new URL(toListPath("/prefix", { select, count: 1 }), "http://test");
  expect([...searchParams.keys()]).toEqual([...Object.keys(select), "count"]);
});

test("an empty cursor is left out", () => {
  expect(toListPath("", { select: {}, count: 5, cursor: "" })).toBe("/v2/dlq?count=5");
});

test.each([
  [{ select: { url: [] }, count: 1 }],
  [{ select: { label: [""] }, count: 1 }],
  [{ select: { messageId: "" }, count: 1 }],
  [{ select: { label: ["\ud800"] }, count: 1 }],
  [{ select: {}, count: 0 }],
  [{ select: {}, count: 101 }],
  [{ select: {}, count: Number.NaN }],
  [{ select: {}, count: 1, toDate: 1.5 }],
])("a listing that would mean something else is refused: %j", (query) => {
  expect(() => toListPath("", query)).toThrow(broken);
});

test("a delete names each id once per parameter and nothing else", () => {
  expect(toDeletePath("/prefix", ids("1-0", "2-0"))).toBe("/prefix/v2/dlq?dlqIds=1-0&dlqIds=2-0");
});

test("a delete of 100 ids stays below 4 KB of URL", () => {
  const path = toDeletePath("", ids(...Array.from({ length: 100 }, (_, index) => `1725323658779-${index}`)));
  expect(path.length).toBeLessThan(4_096);
});

test.each([
  ["none", []],
  ["more than 100", Array.from({ length: 101 }, (_, index) => `${index}-0`)],
  ["an empty one", ["1-0", ""]],
  ["a comma, which the service takes for several", ["1-0,2-0"]],
  ["a space", [" "]],
  ["a line break", ["1-0\n"]],
  ["a zero byte", ["\u0000"]],
  ["half a character", ["\ud800"]],
  ["something that is no text", [undefined as unknown as string]],
])("a delete with ids that could mean any message is refused: %s", (_name, texts) => {
  expect(() => toDeletePath("", ids(...texts))).toThrow(broken);
});
