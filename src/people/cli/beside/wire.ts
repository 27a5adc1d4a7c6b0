/**
 * What a command and the daemon beside it say over their socket: JSON, one object a line. The daemon speaks first.
 * A command sends all that it was started with, also its environment: both are one user on one machine, so the
 * daemon answers as the command's own process would, by the same configuration.
 */
import { readFileSync, lstatSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readTextFile } from "../../../config/text/read-text-file.ts";
import type { ProcessIo } from "../io.ts";

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
  | { readonly exit: number };

export type Reply =
  | { readonly answer: string }
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

const maxFileBytes = 1_048_576;

/** Of `socket.path`. Null: no socket. */
export function toSocketPath(setting: string, env: ProcessIo["env"]): string | null {
  if (setting === "none") return null;
  if (setting !== "auto") return setting;
  return join(env["XDG_RUNTIME_DIR"] || tmpdir(), `redriver-${process.getuid?.()}`, "redriver.sock");
}

/** `socket.path` as a command has it, which reads no other setting: that would cost more than its question. */
export async function readSocketPath(argv: readonly string[], env: ProcessIo["env"]): Promise<string | null> {
  const file = findConfigFile(argv) ?? env["REDRIVER_CONFIG_FILE"];
  return toSocketPath(env["REDRIVER_SOCKET_PATH"] || (file && (await readFromFile(file))) || "auto", env);
}

function findConfigFile(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => word === "--config" || word.startsWith("--config="));
  return at === -1 ? undefined : (/=(.*)/s.exec(argv[at] ?? "")?.[1] ?? argv[at + 1]);
}

/** Undefined: it says nothing of it, or nothing that can be read. Whoever runs the command says what is wrong. */
async function readFromFile(file: string): Promise<string | undefined> {
  const read = readTextFile(file, maxFileBytes);
  if (!read.ok || !read.text.includes("socket")) return undefined;
  const { readSettingsFile } = await import("../../../config/settings/settings-file.ts");
  const given = readSettingsFile(file).values.get("socket.path")?.value;
  return typeof given === "string" ? given : undefined;
}

/** Why others could put a socket of theirs at this path; null: they cannot. Throws if there is no such folder. */
export function findOpenFolder(path: string): string | null {
  const folder = dirname(path);
  const own = process.getuid?.();
  const { uid, mode } = statSync(folder);
  // Another user's link to a folder of this one could lead elsewhere a moment later.
  const linkOwner = lstatSync(folder).uid;
  if (uid !== own || (linkOwner !== own && linkOwner !== 0)) return `the folder ${folder} is of another user`;
  return (mode & 0o022) === 0 ? null : `others may write to the folder ${folder}`;
}
