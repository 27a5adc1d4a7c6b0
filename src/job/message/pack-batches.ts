/** `maxBytes` is of the JSON array with brackets and commas. A larger item travels alone. */
export function packBatches<T extends { readonly bytes: number }>(
  items: readonly T[],
  limits: { readonly maxCount: number; readonly maxBytes: number },
): T[][] {
  const batches: T[][] = [];
  let batch: T[] = [];
  let batchBytes = 0;
  for (const item of items) {
    // A byte per item for its comma, or, for the last, the closing bracket; one for the opening bracket.
    const grown = batch.length === 0 ? 1 + item.bytes + 1 : batchBytes + item.bytes + 1;
    if (batch.length > 0 && (batch.length >= limits.maxCount || grown > limits.maxBytes)) {
      batches.push(batch);
      batch = [item];
      batchBytes = 1 + item.bytes + 1;
    } else {
      batch.push(item);
      batchBytes = grown;
    }
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
