import { Lexer } from "yaml";

/**
 * What a text may ask of the YAML parser. The parser recurses for every level, and keeps an error for every
 * mistake: a megabyte of `[` takes it seconds, a megabyte of `{a: ` ends the process for want of memory. Its
 * lexer is linear, so the lexer's tokens are counted first.
 */
export const textLimits = {
  maxBytes: 1_048_576,
  /** A drain of forty lines has about 300. */
  maxTokens: 100_000,
  maxTokenLength: 8_192,
  /** Each that is no valid escape becomes an error object: half a million of them take seconds. */
  maxBackslashes: 10_000,
  maxDepth: 32,
} as const;

/** The lexer announces a scalar with this token; the next one is the scalar's text. */
const scalarMark = "\u001f";
/** Tokens without a character in the text: document, end of a broken flow collection, scalar. */
const controlMarks = new Set(["\u0002", "\u0018", scalarMark]);

export function findExcess(text: string) {
  if (text.length > textLimits.maxBytes || Buffer.byteLength(text) > textLimits.maxBytes) {
    return { expected: `at most ${textLimits.maxBytes} bytes`, offset: 0 };
  }
  let backslashes = 0;
  for (let at = text.indexOf("\\"); at !== -1; at = text.indexOf("\\", at + 1)) {
    backslashes += 1;
    if (backslashes > textLimits.maxBackslashes) {
      return { expected: `at most ${textLimits.maxBackslashes} backslashes`, offset: at };
    }
  }
  let tokens = 0;
  let flowDepth = 0;
  let indicatorsInLine = 0;
  let end = 0;
  let isScalarNext = false;
  for (const mark of new Lexer().lex(text)) {
    const token = controlMarks.has(mark) ? "" : mark;
    const isScalar = isScalarNext;
    isScalarNext = mark === scalarMark;
    const offset = end;
    end += token.length;
    tokens += 1;
    if (tokens > textLimits.maxTokens) {
      return { expected: `at most ${textLimits.maxTokens} words and marks`, offset };
    }
    if (token.length > textLimits.maxTokenLength) {
      return { expected: `text of at most ${textLimits.maxTokenLength} characters`, offset };
    }
    if (isScalar) continue;
    if (token === "{" || token === "[") flowDepth += 1;
    else if (token === "}" || token === "]") flowDepth = Math.max(0, flowDepth - 1);
    else if (token === "-" || token === "?") indicatorsInLine += 1;
    else if (token === "\n" || token === "\r\n") indicatorsInLine = 0;
    if (flowDepth > textLimits.maxDepth || indicatorsInLine > textLimits.maxDepth) {
      return { expected: `nesting at most ${textLimits.maxDepth} levels deep`, offset };
    }
  }
  return null;
}
