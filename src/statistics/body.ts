export class BodyTooLong extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`body is longer than ${maxBytes} bytes`);
    this.name = "BodyTooLong";
    this.maxBytes = maxBytes;
  }
}

/** The body as UTF-8 text. Throws BodyTooLong and drops the connection as soon as more than `maxBytes` have come. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new BodyTooLong(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
