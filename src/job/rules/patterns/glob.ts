/**
 * `*` is any run of characters, also none. Linear in the text: pieces between stars are found from left to
 * right by Knuth, Morris and Pratt, and leftmost is always right. No RegExp is built, so no rule can make one
 * message cost minutes.
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const pieces = pattern.split("*");
  const first = pieces[0] ?? "";
  if (pieces.length === 1) return (text) => text === first;
  const last = pieces.at(-1) ?? "";
  const finders = pieces
    .slice(1, -1)
    .filter((piece) => piece !== "")
    .map(compileFinder);

  return (text) => {
    const end = text.length - last.length;
    if (first.length > end || !text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    for (const find of finders) {
      from = find(text, from, end);
      if (from < 0) return false;
    }
    return true;
  };
}

function compileFinder(piece: string): (text: string, from: number, end: number) => number {
  // borders[i]: length of the longest proper prefix of piece that also ends piece[0..i].
  const borders: number[] = [0];
  for (let index = 1, length = 0; index < piece.length;) {
    if (piece[index] === piece[length]) borders[index++] = ++length;
    else if (length > 0) length = borders[length - 1]!;
    else borders[index++] = 0;
  }
  return (text, from, end) => {
    let matched = 0;
    for (let index = from; index < end; index++) {
      while (matched > 0 && text[index] !== piece[matched]) matched = borders[matched - 1]!;
      if (text[index] === piece[matched]) matched++;
      if (matched === piece.length) return index + 1;
    }
    return -1;
  };
}
