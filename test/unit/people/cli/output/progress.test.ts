import { describe, expect, it } from "vitest";
import type { ProcessIo } from "../../../../../src/people/cli/io.ts";
import { withLineBelow } from "../../../../../src/people/cli/output/line-below-output.ts";
import { createProgressLine } from "../../../../../src/people/cli/output/progress.ts";
import { createScreen } from "../../../../support/screen.ts";

const columns = 40;

/** Both streams on one terminal; `isOutElsewhere`: stdout is a file. */
function stand({ isTerminal = true, isOutElsewhere = false } = {}) {
  const screen = createScreen(columns);
  let raw = "";
  const write = (text: string): void => {
    raw += text;
    screen.write(text);
  };
  const io = withLineBelow({
    columns: isOutElsewhere ? Infinity : columns,
    errColumns: () => (isTerminal ? columns : null),
    out: isOutElsewhere ? () => undefined : write,
    err: write,
    ask: () => Promise.resolve(""),
  } as unknown as ProcessIo);
  return { io, progress: createProgressLine(io), rows: screen.rows, raw: () => raw };
}

describe("a progress on a terminal", () => {
  it("is one row below all that is written meanwhile, and stays as it was last", () => {
    const { io, progress, rows } = stand();
    progress.show("orders: 1 listed");
    io.err("orders: 5 held for now\n");
    progress.show("orders: 2 listed");
    io.out("a row of a table\n");
    expect(rows()).toEqual(["orders: 5 held for now", "a row of a table", "orders: 2 listed"]);
    progress.end();
    io.out("the summary\n");
    expect(rows()).toEqual([
      "orders: 5 held for now",
      "a row of a table",
      "orders: 2 listed",
      "the summary",
      "",
    ]);
  });

  it("is cut where a row ends, and whole once it is over", () => {
    const { progress, rows } = stand();
    const wait = "orders: 3 of 9 done, waits for a lane that is watched, next check in 30s";
    for (let at = 0; at < 5; at += 1) progress.show(`${wait} ${at}`);
    expect(rows()).toEqual(["orders: 3 of 9 done, waits for a lane …"]);
    progress.end();
    expect(rows().join("")).toBe(`${wait} 4`);
  });

  it("leaves nothing behind if there was none, and gives way to a question", async () => {
    const { io, progress, rows, raw } = stand();
    progress.end();
    expect(raw()).toBe("");
    progress.show("orders: 1 listed");
    await io.ask("Go on?");
    expect(rows()).toEqual([""]);
  });

  it("is left alone by a stdout that goes elsewhere", () => {
    const { io, progress, raw } = stand({ isOutElsewhere: true });
    progress.show("orders: 1 listed");
    io.out("{}\n");
    expect(raw()).toBe("orders: 1 listed");
  });
});

it("without a terminal a progress is whole lines, the first and the last", () => {
  const { io, progress, raw } = stand({ isTerminal: false });
  for (let at = 1; at <= 3; at += 1) progress.show(`orders: ${at} listed`);
  io.err("orders: 5 held for now\n");
  progress.end();
  expect(raw()).toBe("orders: 1 listed\norders: 5 held for now\norders: 3 listed\n");
});
