import { describe, expect, it } from "vitest";
import { createCommandEvents } from "../../../../../src/people/cli/with-acting-core.ts";
import type { Io } from "../../../../../src/people/cli/io.ts";
import type { RedriverEvent } from "../../../../../src/job/contracts/events.ts";
import type { DrainName, SourceId } from "../../../../../src/job/contracts/ids.ts";

const drain = "orders" as DrainName;
const source = "eu" as SourceId;

const copied: RedriverEvent = { type: "archive:copied", source, drain, count: 3 };
const doubtful = {
  type: "outcome:unknown",
  source,
  drain,
  dlqId: "17-0",
  why: "the answer with hunter2-hunter2 broke off\n  at once",
} as unknown as RedriverEvent;
const lost: RedriverEvent = { type: "redis:lost", message: "ECONNREFUSED" };
const resumed: RedriverEvent = { type: "source:resumed", source };

function told(log: { level: "info" | "warn" | "debug"; isAsked: boolean }): string {
  let err = "";
  const io = { err: (text: string) => (err += text) } as unknown as Io;
  const events = createCommandEvents({ ...log, secrets: () => ["hunter2-hunter2"] }, io);
  for (const event of [copied, doubtful, lost, resumed]) events.emit(event);
  return err;
}

describe("what a command tells of its events", () => {
  it("is a line in words for what is out of the ordinary, without secrets", () => {
    expect(told({ level: "info", isAsked: false })).toMatchInlineSnapshot(`
      "warning: outcome unknown: the answer with [redacted] broke off; at once (drain orders, source eu, dlqId 17-0)
      error: Redis lost: ECONNREFUSED
      "
    `);
  });

  it.each([
    ["asked for on the command line", { level: "info", isAsked: true }, 4],
    ["chosen in the settings", { level: "warn", isAsked: false }, 3],
  ] as const)("is JSON under a level %s", (_name, log, lines) => {
    const parsed = told(log)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string });
    expect(parsed).toHaveLength(lines);
    expect(parsed[0]).toMatchObject({ event: "archive:copied", level: "warn" });
    expect(JSON.stringify(parsed)).not.toContain("hunter2");
  });
});
