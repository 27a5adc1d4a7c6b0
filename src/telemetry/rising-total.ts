/**
 * Keeps a total from falling. What is forgotten leaves a sum, and Prometheus would take the rest of it for new
 * counts. A total that is not shown for a while goes on where it was.
 */
export function createRisingTotals() {
  const totals = new Map<string, { last: number; forgotten: number }>();
  return (name: string, value: number): number => {
    const total = totals.get(name) ?? { last: value, forgotten: 0 };
    totals.set(name, total);
    if (value < total.last) total.forgotten += total.last - value;
    total.last = value;
    return value + total.forgotten;
  };
}
