import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { seedRecordSchema, type SeedRecord } from "../dlq/seeded-record.ts";
import { problemsOf } from "../check-input.ts";

/** A file that cannot be loaded; the message names file and lines, but nothing of their content. */
export class LoadProblem extends Error {}

// A file that is something else altogether would have more.
const maxProblems = 10;

/**
 * Records of a file, one JSON object a line as `POST /_control/dlq` takes it; empty lines are passed over.
 * Whether all lines are good is known at the end only, when it throws; what came before must not be served
 * then.
 */
export async function* recordsOfFile(file: string): AsyncGenerator<SeedRecord> {
  const problems: string[] = [];
  let line = 0;
  try {
    for await (const bytes of linesOf(createReadStream(file, { highWaterMark: 1 << 20 }))) {
      line++;
      const parsed = parseLine(bytes);
      if (parsed === undefined) continue;
      if (typeof parsed === "string") problems.push(`${file}:${line}: ${parsed}`);
      else yield parsed;
      if (problems.length === maxProblems) break;
    }
  } catch (error) {
    const { code = "an error" } = error as NodeJS.ErrnoException;
    throw new LoadProblem(`${file}: expected a file that can be read, got ${code}`, { cause: error });
  }
  if (problems.length > 0) throw new LoadProblem(problems.join("\n"));
}

function parseLine(bytes: Buffer): SeedRecord | string | undefined {
  if (!isUtf8(bytes)) return "expected UTF-8";
  const text = bytes.toString("utf8").trim();
  if (text === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "expected a JSON object, got what is not JSON";
  }
  const parsed = seedRecordSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  return problemsOf(parsed.error);
}

const newline = 0x0a;

/** Lines without their ends, split at line feeds only: other separators may stand inside JSON. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}
