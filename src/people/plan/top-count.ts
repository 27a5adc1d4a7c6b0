import { sumOf } from "../read/totals.ts";

export interface Counted<Key> {
  readonly key: Key;
  readonly count: number;
}

export type TopCounted<Key extends string | number> = ReturnType<
  ReturnType<typeof createTopCount<Key>>["top"]
>;

/** Counts keys in bounded memory. Once `maxKeys` are known, all new ones share one count. */
export function createTopCount<Key extends string | number>(maxKeys: number) {
  const counts = new Map<Key, number>();
  let others = 0;
  return {
    add(key: Key, times = 1): void {
      const known = counts.get(key);
      if (known === undefined && counts.size >= maxKeys) others += times;
      else counts.set(key, (known ?? 0) + times);
    },
    count: (key: Key): number => counts.get(key) ?? 0,
    /** Most frequent first, of equals the first by name. `more`: how many others, as far as they are counted apart. */
    top(count: number) {
      const sorted = [...counts].toSorted(
        ([one, ones], [other, others_]) => others_ - ones || (one < other ? -1 : 1),
      );
      const rest = sorted.slice(count);
      return {
        top: sorted.slice(0, count).map(([key, times]): Counted<Key> => ({ key, count: times })),
        more: {
          kinds: rest.length + (others > 0 ? 1 : 0),
          count: others + sumOf(rest, ([, times]) => times),
        },
      };
    },
  };
}

/** The same of things that a key tells apart: each as it was met first, with its count. */
export function createThingCount<Thing extends object>(maxThings: number) {
  const counts = createTopCount<string>(maxThings);
  const things = new Map<string, Thing>();
  return {
    /** The one that is kept; undefined: it is not counted apart. */
    add(key: string, toThing: () => Thing): Thing | undefined {
      counts.add(key);
      if (!things.has(key) && counts.count(key) > 0) things.set(key, toThing());
      return things.get(key);
    },
    top(most: number) {
      const { top, more } = counts.top(most);
      return { top: top.map(({ key, count }) => ({ ...things.get(key)!, count })), more };
    },
  };
}
