import { once } from "node:events";
import { systemClock } from "../../../system-world.ts";
import { isRedriverError } from "../../../job/contracts/errors.ts";
import { sleptFully } from "../../../job/contracts/clock.ts";
import { toExit } from "../exit-of-error.ts";
import type { Io } from "../io.ts";
import { counted } from "../../operations/phrases.ts";
import { isColoured, printResult, toJsonLine } from "./print.ts";
import { wrapText } from "./wrap.ts";

const repaintMs = 2_000;

/** Hides the cursor, and lets the terminal cut a line that is too wide instead of breaking it in two. */
const begin = "\u001B[?25l\u001B[?7l\u001B[2J";
const end = "\u001B[?25h\u001B[?7h";
/** Written over the frame before, because a screen that is emptied first flickers. */
const home = "\u001B[H";
/** In front of its new text: behind a line as wide as the window it would take the last character, where the cursor stays. */
const restOfLine = "\u001B[K";
const restOfScreen = "\u001B[J";

/**
 * Shows what `render` answers, until a signal or the end of stdout's reader. On a terminal a frame takes the place of
 * the one before, cut to the window. Elsewhere it is appended; so is JSON, which is never cut.
 *
 * A failed first frame ends the command. Later ones leave the last frame, with the error below it. `render` is
 * given a signal that aborts with the watch; nobody waits for it after that.
 */
export async function repaintEvery(
  io: Io,
  everyMs: number,
  render: (signal: AbortSignal) => Promise<string>,
  form: "screen" | "lines" = Number.isFinite(io.columns) ? "screen" : "lines",
): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const stopped = once(signal, "abort").then(() => null);
  const forget = io.onSignal(() => stop.abort());
  const isScreen = form === "screen";
  const show = isScreen ? paintOver(io) : append(io);
  let last: string | null = null;
  try {
    do {
      const frame = await Promise.race([render(signal).catch((error: unknown) => failed(error)), stopped]);
      if (frame === null || signal.aborted) break;
      if (last === null && isScreen) io.draw(begin);
      if (typeof frame === "string") show((last = frame), "");
      else show(last ?? "", wrapText(io.columns, 0, "", `redriver: ${frame.problem}`));
    } while ((await sleptFully(systemClock, everyMs, signal)) && !io.isOutLost);
  } finally {
    forget();
    if (last !== null && isScreen) io.draw(end);
  }

  function failed(error: unknown): { readonly problem: string } {
    if (last === null || !isRedriverError(error)) throw error;
    return { problem: toExit(error).message };
  }
}

/** Prints what `read` answers once; with `--watch` again and again, of JSON a line each time. */
export async function printOrRepaint<Read>(
  io: Io,
  { json = false, watch = false }: Readonly<{ json?: boolean; watch?: boolean }>,
  read: (stopped?: AbortSignal) => Promise<Read>,
  toJson: (read: Read) => object,
  toText: (read: Read) => string,
): Promise<void> {
  if (watch && json) {
    return repaintEvery(io, repaintMs, async (stop) => toJsonLine(toJson(await read(stop))), "lines");
  }
  if (watch) return repaintEvery(io, repaintMs, async (stop) => toText(await read(stop)));
  const answer = await read();
  const out = isColoured(io) && !json ? io.draw : io.out;
  printResult({ out }, json, toJson(answer), () => toText(answer));
}

type Show = (frame: string, problem: string) => void;

function paintOver(io: Io): Show {
  return (frame, problem) => {
    const tail = toLines(problem);
    const lines = [...cut(toLines(frame), io.rows - 1 - tail.length), ...tail];
    io.draw(`${home}${lines.map((line) => `${restOfLine}${line}\n`).join("")}${restOfScreen}`);
  };
}

function append(io: Io): Show {
  let isFirst = true;
  return (frame, problem) => {
    if (problem === "") io.out(isFirst || toLines(frame).length === 1 ? frame : `\n${frame}`);
    else io.err(problem);
    isFirst = false;
  };
}

/** A screen that is written past its last row scrolls, and the next frame would begin in its middle. */
function cut(lines: readonly string[], room: number): readonly string[] {
  if (lines.length <= room) return lines;
  const shown = lines.slice(0, Math.max(0, room - 1));
  return [...shown, `(${counted(lines.length - shown.length, "more line")}: make the window taller)`];
}

function toLines(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
