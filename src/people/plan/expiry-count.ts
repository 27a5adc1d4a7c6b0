const hourMs = 3_600_000;

export type ExpiryReport = ReturnType<ReturnType<typeof createExpiryCount>["report"]>;

/** How many records the service's retention deletes, and how soon. */
export function createExpiryCount() {
  let [expired, within1h, within6h, within24h, earliest] = [0, 0, 0, 0, Infinity];
  return {
    /** Both Unix ms by the service's clock. */
    add(expiresAt: number, now: number): void {
      earliest = Math.min(earliest, expiresAt);
      const leftMs = expiresAt - now;
      if (leftMs <= 0) {
        expired += 1;
        return;
      }
      if (leftMs <= hourMs) within1h += 1;
      if (leftMs <= 6 * hourMs) within6h += 1;
      if (leftMs <= 24 * hourMs) within24h += 1;
    },
    report: () => ({
      /** Past the retention that the document has for the source. */
      expired,
      /** Each includes the ones before it. */
      within1h,
      within6h,
      within24h,
      /** Unix ms by the service's clock; null without a record. */
      earliestAt: Number.isFinite(earliest) ? earliest : null,
    }),
  };
}
