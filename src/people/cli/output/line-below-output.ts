import { toSafeOutput, toSpelledOut } from "../../../job/message/show-masked-values.ts";
import type { Io, ProcessIo } from "../io.ts";

const eraseLine = "\r\u001B[2K";

/**
 * Keeps a line below everything that a command writes to a terminal: it is erased before each write, and drawn
 * again after it. It is cut at the width of the terminal, because only the last row of a longer one could be
 * erased. Without a terminal there is no line. What a terminal would act on is spelled out in all that is written.
 */
export function withLineBelow(world: ProcessIo): Io {
  let line: string | null = null;
  let isDrawn = false;

  const erase = (): void => {
    if (isDrawn) world.err(eraseLine);
    isDrawn = false;
  };
  const draw = (): void => {
    const columns = world.errColumns();
    if (line === null || columns === null) return;
    world.err(cut(line, columns));
    isDrawn = true;
  };
  const above =
    (write: (text: string) => void) =>
    (text: string): void => {
      if (text === "") return;
      erase();
      write(text);
      if (text.endsWith("\n")) draw();
    };

  // What goes to a file or a pipe is not on the screen.
  const drawn = Number.isFinite(world.columns) ? above(world.out) : world.out;
  const errAbove = above(world.err);

  const show = (text: string | null): void => {
    line = text === null ? null : toSpelledOut(text);
    erase();
    draw();
  };
  // Not a spread: it would read what changes with the window only once.
  return Object.assign(Object.create(world) as ProcessIo, {
    draw: drawn,
    out: (text: string) => drawn(toSafeOutput(text)),
    err: (text: string) => errAbove(toSafeOutput(text)),
    ask(question: string) {
      show(null);
      return world.ask(toSafeOutput(question));
    },
    line: show,
  });
}

/** A character in the last column would make some terminals begin another row. */
function cut(line: string, columns: number): string {
  const characters = Array.from(line);
  const room = Math.max(1, columns - 1);
  return characters.length <= room ? line : `${characters.slice(0, room - 1).join("")}…`;
}
