/**
 * The shape of an answer: what is left once ids, numbers and times of one message are taken out. Answers of one
 * shape have one signature, so it is worked out once for each shape. One pass over character codes writes it.
 *
 * - A digit is written as 1, a UUID as one mark.
 * - A run of 10 to 64 ASCII letters and digits with a letter behind a digit is an id. Its length, the kinds of
 *   its first two characters, and which cases it has decide how it reads; the rest is left out.
 * - Everything else stays as it is. So do digits where they matter: behind "code", as the number of another
 *   error field, and as the first 0 of a number in JSON.
 *
 * A shape is only a key. If in doubt it keeps more: then it is found less often, and never wrongly.
 */

/** Characters of an answer that are read, so that 1 MB costs as much as 4 KB. */
export const maxRead = 4_096;

/** Together a few MB. A queue has some dozens of shapes, or one for each message if strangers want it so. */
const maxShapes = 4_096;
const maxCodes = 1_000_000;

/** No string is made: that costs more than the pass. Of two shapes with one hash the later is known. */
export function oncePerShape(make: (text: string) => string): (text: string) => string {
  const known = new Map<number, { readonly codes: Uint16Array; readonly value: string }>();
  const codes = new Uint16Array(maxRead + 1);
  let kept = 0;
  return (text) => {
    const length = writeShape(text, codes);
    let hash = 0;
    for (let at = 0; at < length; at += 1) hash = (Math.imul(hash, 31) + codes[at]!) | 0;
    const before = known.get(hash);
    if (before !== undefined && isEqual(before.codes, codes, length)) return before.value;
    const value = make(text);
    if (known.size >= maxShapes || kept + length > maxCodes) {
      known.clear();
      kept = 0;
    }
    kept += length;
    known.set(hash, { codes: codes.slice(0, length), value });
    return value;
  };
}

function isEqual(known: Uint16Array, codes: Uint16Array, length: number): boolean {
  if (known.length !== length) return false;
  for (let at = 0; at < length; at += 1) if (known[at] !== codes[at]) return false;
  return true;
}

const digit = 1;
const hexLower = 2;
const hexUpper = 4;
const otherLower = 8;
const otherUpper = 16;
const kinds = new Uint8Array(128);
for (let code = 48; code <= 57; code += 1) kinds[code] = digit;
for (let code = 65; code <= 90; code += 1) kinds[code] = code <= 70 ? hexUpper : otherUpper;
for (let code = 97; code <= 122; code += 1) kinds[code] = code <= 102 ? hexLower : otherLower;

/** Codes for private use, which stand for what was left out. A text that has one of them itself is kept whole. */
const firstMark = 0xe000;
const lastMark = 0xe1ff;
const uuidMark = 0xe000;
const idMark = 0xe100;
/** The first code of a shape: whether the text has more than was read, and whether it is kept whole. */
const shapeMark = 0xe010;
const moreBit = 1;
const wholeBit = 2;

const minId = 10;
const maxId = 64;
/** Below this, what is left of an id behind two digits that belong to a date may read in another way. */
const longId = 16;
/** A word is read up to its 500th character, and an id must end before. */
const maxBeforeId = 400;

const [space, quote, percent, plus, comma, hyphen, zero, one, two, four] = [
  32, 34, 37, 43, 44, 45, 48, 49, 50, 52,
];
const [colon, less, equals, bracket, backslash, bracketEnd, brace, braceEnd] = [
  58, 60, 61, 91, 92, 93, 123, 125,
];
const [letterA, letterH, letterS, letterU, letterX] = [97, 104, 115, 117, 120];

/** Of a text's first `maxRead` characters; answers where it ends. */
function writeShape(text: string, codes: Uint16Array): number {
  const length = text.length < maxRead ? text.length : maxRead;
  const more = text.length > maxRead ? moreBit : 0;
  codes[0] = shapeMark + more;
  const end = write(text, length, codes);
  if (end >= 0) return end;
  codes[0] = shapeMark + more + wholeBit;
  for (let at = 0; at < length; at += 1) codes[at + 1] = text.charCodeAt(at);
  return length + 1;
}

/** The end of the shape, or -1: the text is to be kept whole. */
function write(text: string, length: number, codes: Uint16Array): number {
  const isJson = mayBeJson(text, length);
  let out = 1;
  let isQuoted = false;
  /** Digits are kept up to here: 1, the next quote; 2, the end of the value. */
  let kept = 0;
  let lastQuote = -1;
  let lastSpace = -1;
  let escapedTo = -1;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code >= firstMark && code <= lastMark) return -1;
    const kind = code < 128 ? kinds[code]! : 0;
    if (kind === 0) {
      if (code <= space) lastSpace = at;
      else if (isJson) {
        if (code === quote) {
          const field = fieldBetween(text, lastQuote, at);
          kept = field > 0 ? field : kept === 1 ? 0 : kept;
          lastQuote = at;
          isQuoted = !isQuoted;
        } else if (code === backslash && at + 1 < length) {
          const next = text.charCodeAt(at + 1);
          if (next >= firstMark && next <= lastMark) return -1;
          codes[out++] = code;
          codes[out++] = next;
          if (next === quote) lastQuote = at + 1;
          at += 2;
          if (next === letterU) {
            // An ASCII character may complete what the patterns look for.
            if (text.charCodeAt(at) === zero && text.charCodeAt(at + 1) === zero) return -1;
            for (let digits = 0; digits < 4 && at < length && isAlphanumeric(text, at); digits += 1) {
              codes[out++] = text.charCodeAt(at++);
            }
          }
          escapedTo = at;
          continue;
        } else if (code === comma || code === bracketEnd || code === braceEnd) kept = 0;
      }
      codes[out++] = code;
      at += 1;
      continue;
    }
    const start = at;
    let found = kind;
    let firstDigit = kind === digit ? at : -1;
    let isId = false;
    for (at += 1; at < length; at += 1) {
      const next = text.charCodeAt(at);
      const nextKind = next < 128 ? kinds[next]! : 0;
      if (nextKind === 0) break;
      found |= nextKind;
      if (nextKind !== digit) isId ||= firstDigit >= start + 2;
      else if (firstDigit < start + 2) firstDigit = at;
    }
    if ((found & digit) !== 0 && kept === 0) {
      if (at - start === 8 && (found & (otherLower | otherUpper)) === 0 && isUuid(text, start, length)) {
        codes[out++] = uuidMark;
        at = start + 36;
        continue;
      }
      if (
        isId &&
        at - start >= minId &&
        at - start <= maxId &&
        start !== escapedTo &&
        start - lastSpace <= maxBeforeId &&
        standsAlone(text, start, at, length)
      ) {
        if (hasNamedDigit(text, start, at)) return -1;
        const properties =
          ((found & (hexLower | otherLower)) === 0 ? 0 : 1) |
          ((found & (hexUpper | otherUpper)) === 0 ? 0 : 2) |
          ((found & (otherLower | otherUpper)) === 0 ? 4 : 0);
        codes[out++] = idMark + properties * 32 + kinds[text.charCodeAt(start)]!;
        codes[out++] = idMark + kinds[text.charCodeAt(start + 1)]!;
        codes[out++] = idMark + at - start;
        continue;
      }
    }
    if ((found & digit) === 0) {
      for (let from = start; from < at; from += 1) codes[out++] = text.charCodeAt(from);
      continue;
    }
    if (hasNamedDigit(text, start, at)) return -1;
    const keepsZero = isJson && !isQuoted && text.charCodeAt(start) === zero;
    for (let from = start; from < at; from += 1) {
      const own = text.charCodeAt(from);
      codes[out++] = own < zero || own > 57 || kept !== 0 || (keepsZero && from === start) ? own : one;
    }
  }
  return out;
}

/** False only if the text cannot be read as JSON. */
function mayBeJson(text: string, length: number): boolean {
  let at = 0;
  while (at < length && text.charCodeAt(at) <= space) at += 1;
  const first = at < length ? text.charCodeAt(at) : 0;
  return first > 127 || first === quote || first === bracket || first === brace;
}

/** 2: `code` is between two quotes; 1: another field whose number is read; else 0. */
function fieldBetween(text: string, open: number, close: number): number {
  const length = close - open - 1;
  if (open < 0 || length < 4 || length > 7) return 0;
  const at = open + 1;
  if (length === 4) return text.startsWith("code", at) ? 2 : 0;
  if (length === 5) return text.startsWith("error", at) || text.startsWith("title", at) ? 1 : 0;
  if (length === 6) return text.startsWith("detail", at) ? 1 : 0;
  return text.startsWith("message", at) ? 1 : 0;
}

function isAlphanumeric(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && kinds[code] !== 0;
}

/** The patterns ask for certain digits in `0x`, `%20`, `aws4` and `sha256`. */
function hasNamedDigit(text: string, start: number, end: number): boolean {
  if (start > 0 && text.charCodeAt(start) === two && text.charCodeAt(start - 1) === percent) return true;
  for (let at = start + 1; at < end; at += 1) {
    const before = text.charCodeAt(at - 1) | 32;
    const code = text.charCodeAt(at);
    if ((code | 32) === letterX && text.charCodeAt(at - 1) === zero) return true;
    if (code === four && before === letterS) return true;
    if (code === two && before === letterA && at - start >= 3 && (text.charCodeAt(at - 2) | 32) === letterH) {
      return true;
    }
  }
  return false;
}

function isUuid(text: string, start: number, length: number): boolean {
  if (start + 36 > length) return false;
  for (let at = 8; at < 36; at += 1) {
    const code = text.charCodeAt(start + at);
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (code !== hyphen) return false;
    } else if (code > 127 || (kinds[code]! & (digit | hexLower | hexUpper)) === 0) return false;
  }
  // Its last group may be the beginning of a URL, which has a letter first.
  for (let at = 36; at <= 40; at += 1) if (text.startsWith("://", start + at)) return false;
  return start + 36 === length || !isAlphanumeric(text, start + 36);
}

/** An id between signs, none of which makes it a part of a time, a UUID, a scheme, or the name of a secret. */
function standsAlone(text: string, start: number, end: number, length: number): boolean {
  if (start > 0) {
    const before = text.charCodeAt(start - 1);
    if (before > 127 || before === plus) return false;
    const second = start > 1 ? text.charCodeAt(start - 2) : space;
    if (second >= zero && second <= 57) return false;
    if (before === hyphen && second <= space && start > 1) return false;
    if (before === hyphen && start > 5 && text.charCodeAt(start - 6) === hyphen) return false;
    const isDigitFirst = kinds[text.charCodeAt(start)] === digit;
    if (before <= space && isDigitFirst && end - start < longId) return false;
  }
  if (end === length) return true;
  const after = text.charCodeAt(end);
  if (after > 127 || after === colon || after === backslash || after === less) return false;
  if (after === hyphen && end + 5 < length && text.charCodeAt(end + 5) === hyphen) return false;
  // `token1a2b_x = ` is a name, behind which stands a secret.
  let at = end;
  while (
    at < length &&
    at < end + 17 &&
    (isAlphanumeric(text, at) || text.charCodeAt(at) === hyphen || text[at] === "_")
  )
    at += 1;
  while (at < length && at < end + 22 && text.charCodeAt(at) <= space) at += 1;
  return at === length || (text.charCodeAt(at) !== equals && text.charCodeAt(at) !== colon);
}
