import { promisify } from "node:util";
import { gzip } from "node:zlib";

const compress = promisify(gzip);

/**
 * The first bytes of every gzip member of an archive (RFC 1952: magic, deflate, no flags, no time, no hint,
 * Unix). Behind damage, the next member is found by them. They cannot be in a member's text, because JSON has
 * no unescaped 0x1f.
 */
export const memberHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);

export async function toMember(text: string): Promise<Buffer> {
  const member = await compress(text);
  // The library's own header differs by platform in its last bytes, which mean nothing to a reader.
  memberHeader.copy(member);
  return member;
}

export interface MemberBytes {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/**
 * Cuts the bytes of a file before each member. Bytes before the first member are a part of their own. Holds
 * one member at a time. Throws `RangeError` past `maxBytes` without a member's beginning.
 */
export async function* splitMembers(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<MemberBytes> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const chunk of chunks) {
    // A header may begin in the previous bytes.
    const seam = tail(begun, memberHeader.length - 1);
    const text = seam.length === 0 ? chunk : Buffer.concat([seam, chunk]);
    const before = begunBytes - seam.length;
    begun.push(chunk);
    begunBytes += chunk.length;
    let from: number | null = null;
    for (let at = text.indexOf(memberHeader); at !== -1; at = text.indexOf(memberHeader, at + 1)) {
      const bytes = from === null ? Buffer.concat(begun).subarray(0, before + at) : text.subarray(from, at);
      if (bytes.length > 0) yield { bytes, isLast: false };
      from = at;
    }
    if (from !== null) {
      begun = [text.subarray(from)];
      begunBytes = text.length - from;
    }
    if (begunBytes > maxBytes) throw new RangeError(`a member of more than ${maxBytes} bytes`);
  }
  if (begunBytes > 0) yield { bytes: Buffer.concat(begun), isLast: true };
}

function tail(buffers: readonly Buffer[], count: number): Buffer {
  const last: Buffer[] = [];
  let missing = count;
  for (const buffer of buffers.toReversed()) {
    if (missing <= 0) break;
    const part = buffer.subarray(Math.max(0, buffer.length - missing));
    last.unshift(part);
    missing -= part.length;
  }
  return Buffer.concat(last);
}
