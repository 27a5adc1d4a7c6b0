/**
 * What a command and the daemon beside it say over their socket: JSON, one object a line. The daemon speaks first.
 * A command sends all that it was started with, also its environment: both are one user on one machine, so the
 * daemon answers as the command's own process would, by the same configuration.
 */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

export interface Hello {
  readonly v: 1;
  /** Of another build a command asks nothing. */
  readonly build: string;
  /** Files that are named relative to a folder would be others in another one. */
  readonly cwd: string;
  readonly instance: string;
  readonly pid: number;
}

export interface Request {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  readonly window: TerminalSize;
}

/** Null: it is no terminal. */
export interface TerminalSize {
  readonly columns: number | null;
  readonly rows: number | null;
  readonly errColumns: number | null;
}

export type CommandFrame =
  | { readonly out: string }
  | { readonly err: string }
  | { readonly ask: string }
  | { readonly confirm: string }
  | { readonly exit: number };

export type Reply =
  | { readonly answer: string | boolean }
  | { readonly window: TerminalSize }
  | { readonly outLost: true };

/** Which program this is: the folder it stands in and the commit it was built from. */
export function readBuild(): string {
  const folder = new URL("../../../", import.meta.url);
  try {
    return `${folder.pathname} ${readFileSync(new URL("revision.txt", folder), "utf8").trim()}`;
  } catch {
    return folder.pathname;
  }
}

export function send(
  socket: Socket,
  value: Hello | Request | CommandFrame | Reply,
  onTaken?: () => void,
): void {
  if (socket.writable) socket.write(`${JSON.stringify(value)}\n`, onTaken);
}

/** Calls back with each line. A line of more characters, or one that is no JSON, ends the connection. */
export function onLines(socket: Socket, maxLine: number, take: (value: unknown) => void): void {
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    try {
      for (const line of lines) take(JSON.parse(line));
    } catch {
      socket.destroy();
    }
    if (rest.length > maxLine) socket.destroy();
  });
}
