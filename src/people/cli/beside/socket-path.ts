import { lstatSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readTextFile } from "../../../config/text/read-text-file.ts";
import type { ProcessIo } from "../io.ts";

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
