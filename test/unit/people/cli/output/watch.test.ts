import { expect, it } from "vitest";
import type { Io } from "../../../../../src/people/cli/io.ts";
import { repaintEvery } from "../../../../../src/people/cli/output/watch.ts";
import { RedriverError } from "../../../../../src/job/contracts/errors.ts";

type Frame = string | Error;

/** Watches the frames, and interrupts when all are shown; answers what was written. */
async function watch(frames: readonly Frame[], world: Partial<Io> = {}) {
  let out = "";
  let err = "";
  let interrupt: (() => void) | undefined;
  const rest = [...frames];
  const io: Io = {
    env: {},
    isTerminal: false,
    columns: Infinity,
    rows: Infinity,
    isOutLost: false,
    out: (text) => void (out += text),
    draw: (text) => void (out += text),
    err: (text) => void (err += text),
    ask: () => Promise.resolve(""),
    errColumns: () => null,
    line: () => undefined,
    onSignal: (listener) => {
      interrupt = () => listener("SIGINT");
      return () => (interrupt = () => expect.unreachable());
    },
    ...world,
  };
  const render = (signal: AbortSignal): Promise<string> => {
    const frame = rest.shift();
    if (frame instanceof Error) return Promise.reject(frame);
    if (frame !== undefined) return Promise.resolve(frame);
    interrupt?.();
    expect(signal.aborted).toBe(true);
    return new Promise(() => undefined);
  };
  const failure = await repaintEvery(io, 1, render).then(
    () => null,
    (error: Error) => error.message,
  );
  return { out, err, failure, left: rest.length };
}
const terminal = { columns: 80, rows: 6 };
const away = new RedriverError("redis-unavailable", "Redis is away");
/** What a terminal shows after all that was written to it. */
function lastScreen(out: string): readonly string[] {
  return toRows(out.slice(out.lastIndexOf("\u001B[H") + 3, out.lastIndexOf("\u001B[J")));
}

/** Each row as a window of 80 columns shows it that breaks no line: behind the last column the cursor stays on it. */
function toRows(painted: string): readonly string[] {
  const lines = painted.split("\n").slice(0, -1);
  return lines.map((line) => {
    let row = "";
    let at = 0;
    for (const [index, part] of line.split("\u001B[K").entries()) {
      if (index > 0) row = row.slice(0, at);
      for (const character of part) {
        row = row.slice(0, at) + character + row.slice(at + 1);
        at = Math.min(at + 1, 79);
      }
    }
    return row;
  });
}

it("a watch without a terminal appends frames, with empty lines between those of several lines", async () => {
  expect(await watch(["a\nb\n", "c\nd\n"])).toEqual({
    out: "a\nb\n\nc\nd\n",
    err: "",
    failure: null,
    left: 0,
  });
  expect((await watch(['{"a":1}\n', '{"a":2}\n'])).out).toBe('{"a":1}\n{"a":2}\n');
});

it("a line as wide as the window keeps its last character", async () => {
  const line = `${"x".repeat(79)}!`;
  const { out } = await watch([`${"y".repeat(80)}\n`, `${line}\nshort\n`], terminal);
  expect(lastScreen(out)).toEqual([line, "short"]);
});

it("a watch never writes past the last row, and says what it left out", async () => {
  const { out } = await watch(["1\n2\n3\n4\n5\n6\n7\n"], terminal);
  expect(lastScreen(out)).toEqual(["1", "2", "3", "4", "(3 more lines: make the window taller)"]);
});

it("a watch keeps the last frame with the error below it, and goes on", async () => {
  const { out } = await watch(["1\n2\n3\n4\n5\n", away], terminal);
  expect(lastScreen(out)).toEqual([
    "1",
    "2",
    "3",
    "(2 more lines: make the window taller)",
    "redriver: redis-unavailable: Redis is away",
  ]);
  expect(await watch(["a\n", away, "b\n"])).toMatchObject({
    out: "a\nb\n",
    err: "redriver: redis-unavailable: Redis is away\n",
    failure: null,
  });
});

it("a watch fails with its first frame, and with an error that nobody expects", async () => {
  expect(await watch([away, "a\n"], terminal)).toMatchObject({ out: "", failure: "Redis is away", left: 1 });
  const { out, failure } = await watch(["a\n", new Error("a bug"), "b\n"], terminal);
  expect(failure).toBe("a bug");
  expect(out.endsWith("\u001B[?25h\u001B[?7h")).toBe(true);
});

it("a watch ends when the reader of stdout has gone", async () => {
  expect(await watch(["a\n", "b\n"], { isOutLost: true })).toMatchObject({
    out: "a\n",
    failure: null,
    left: 1,
  });
});
