import type { ServerResponse } from "node:http";
import type { HttpAnswer } from "./exchange.ts";

export function writeAnswer(response: ServerResponse, answer: HttpAnswer, now: number): void {
  if (response.destroyed) return;
  const bytes = bytesOf(answer);
  writeHead(response, answer, bytes.length, now);
  response.end(bytes);
}

/** Head and half of the body, then the rest if that is still wanted. Resolves to whether all of it was written. */
export async function writeHalves(
  response: ServerResponse,
  answer: HttpAnswer,
  now: number,
  goesOn: () => Promise<boolean>,
): Promise<boolean> {
  const bytes = bytesOf(answer);
  const half = bytes.length >> 1;
  if (!response.destroyed) {
    writeHead(response, answer, bytes.length, now);
    response.flushHeaders();
    if (half > 0)
      await new Promise<void>((resolve) => response.write(bytes.subarray(0, half), () => resolve()));
  }
  if (!(await goesOn())) return false;
  response.end(bytes.subarray(half));
  return true;
}

function writeHead(response: ServerResponse, answer: HttpAnswer, length: number, now: number): void {
  const fixed: Record<string, string> = {
    "Content-Type": "application/json",
    "Content-Length": String(length),
    Date: new Date(now).toUTCString(),
  };
  // The answer's own replace them whatever their case, or both would be sent.
  for (const name of Object.keys(answer.headers ?? {})) {
    for (const known of Object.keys(fixed))
      if (known.toLowerCase() === name.toLowerCase()) delete fixed[known];
  }
  response.writeHead(answer.status, { ...fixed, ...answer.headers });
}

const bytesOf = ({ body }: HttpAnswer): Buffer => (typeof body === "string" ? Buffer.from(body) : body);
