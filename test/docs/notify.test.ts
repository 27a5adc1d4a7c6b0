import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { toCloudEvent } from "../../src/people/notices/cloud-event.ts";
import { toSignature } from "../../src/people/notices/send-notices.ts";
import type { DrainName, SourceId } from "../../src/job/contracts/ids.ts";
import { noticeEvents, type Notice } from "../../src/job/contracts/notices.ts";
import { complaints, keysInSchema, loaded } from "../support/drains-documents.ts";
import { codeBlocks, codeSpans, readDoc, tableRows } from "../support/markdown.ts";
import { isHere } from "../support/tools.ts";

const page = readDoc("docs/notify.md");
const blockOf = (language: string): string =>
  codeBlocks(page).find((block) => block.language === language)?.text ?? "";

const example: Notice = {
  id: "1795680000000-default-12-0",
  event: "failure.new",
  at: Date.UTC(2026, 10, 26, 8),
  source: "default" as SourceId,
  items: [
    {
      drain: "orders" as DrainName,
      destination: "https://pay.example.com",
      cause: "503 upstream down",
      failure: "0a1b2c3d4e",
      count: 12,
    },
  ],
  more: 0,
};

describe("docs/notify.md", () => {
  it("has the keys of a target, and the events in the order of the code", () => {
    const keys = tableRows(page, ["key of a target", "meaning"]).map(([key = ""]) => codeSpans(key)[0] ?? "");
    expect(keys.toSorted()).toEqual(keysInSchema("notify", "*"));
    const events = tableRows(page, ["event", "when", "not told"]).map(([event = ""]) => codeSpans(event)[0]);
    expect(events).toEqual(noticeEvents);
  });

  it("has a document that loads without a warning", () => {
    expect(complaints(blockOf("yaml"), "notify.md")).toEqual([]);
    expect(loaded(blockOf("yaml"), "notify.md").notify.map(({ name }) => name)).toEqual(["chat", "pager"]);
  });

  it("shows an event as it is sent", () => {
    expect(JSON.parse(blockOf("json"))).toEqual(toCloudEvent([example]));
  });
});

const body = JSON.stringify({ text: "ü", n: 1 });
const seconds = 1_795_680_000;
const header = toSignature("the-key", body, seconds * 1_000);
const cases = [
  { name: "a message of ours", header, body, now: seconds + 10, expected: true },
  { name: "another body", header, body: `${body} `, now: seconds, expected: false },
  { name: "a recorded message", header, body, now: seconds + 301, expected: false },
  {
    name: "another key",
    header: toSignature("other", body, seconds * 1_000),
    body,
    now: seconds,
    expected: false,
  },
];

describe("the checks of docs/notify.md", () => {
  it.each(cases)("in JavaScript: $name", async (given) => {
    const url = `data:text/javascript,${encodeURIComponent(blockOf("js"))}`;
    const { isFromRedriver } = (await import(/* @vite-ignore */ url)) as {
      isFromRedriver: (header: string, body: string, key: string, now: number) => boolean;
    };
    expect(isFromRedriver(given.header, given.body, "the-key", given.now)).toBe(given.expected);
  });

  it.skipIf(!isHere("python3")).each(cases)("in Python: $name", (given) => {
    const call = `import sys\nprint(is_from_redriver(sys.argv[1], sys.stdin.buffer.read(), "the-key", ${given.now}))\n`;
    const ran = spawnSync("python3", ["-c", blockOf("python") + call, given.header], { input: given.body });
    expect({ out: ran.stdout.toString().trim(), err: ran.stderr.toString() }).toEqual({
      out: given.expected ? "True" : "False",
      err: "",
    });
  });
});
