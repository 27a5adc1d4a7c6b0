/** Groups items by key. Groups come in the order of their first item, members in their own order. */
export function groupBy<Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** What is read for each, side by side. */
export async function mapEach<Key, Value, Answer>(
  all: ReadonlyMap<Key, Value>,
  read: (value: Value, key: Key) => Promise<Answer>,
): Promise<ReadonlyMap<Key, Answer>> {
  return new Map(await Promise.all([...all].map(async ([key, one]) => [key, await read(one, key)] as const)));
}
