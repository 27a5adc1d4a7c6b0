/** Strangers choose the texts: all are forgotten before one above `max`, and no longer one is kept. */
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
