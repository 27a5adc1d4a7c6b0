/**
 * Works a value out once for each text, because texts repeat from record to record. Strangers choose them. So
 * all are forgotten before one above `max`, and a text longer than `maxLength` is not kept.
 */
export function oncePerText<Value>(
  max: number,
  maxLength: number,
  make: (text: string) => Value,
): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const value = make(text);
    if (known.size >= max) known.clear();
    if (text.length <= maxLength) known.set(text, value);
    return value;
  };
}
