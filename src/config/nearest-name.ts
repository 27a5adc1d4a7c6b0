/** Longer words are not typing mistakes of a name, and comparing them costs time that a hostile file could ask for. */
const longestCompared = 48;

/** The known name that differs least from `word`, when a third of its letters or fewer differ; else undefined. */
export function nearestName(word: string, known: readonly string[]): string | undefined {
  if (word.length > longestCompared) return undefined;
  const wanted = word.toLowerCase();
  let nearest: string | undefined;
  let smallest = Infinity;
  for (const name of known) {
    const allowed = Math.max(1, Math.floor(Math.max(name.length, wanted.length) / 3));
    if (Math.abs(name.length - wanted.length) > allowed) continue;
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance <= allowed && distance < smallest) {
      nearest = name;
      smallest = distance;
    }
  }
  return nearest;
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && swapped) best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
