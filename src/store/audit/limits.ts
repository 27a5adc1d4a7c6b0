/** How much of the past the record of one source keeps: whatever is older, or beyond the size, goes. */
export interface AuditLimits {
  readonly keepMs: number;
  /** Of all texts together; Redis uses a few percent more. */
  readonly maxBytes: number;
}

/**
 * 30 days, and at most 256 MiB: a message that is redriven costs about 115 bytes in its three acts, so that is 75,000 a day for 30 days, and
 * Redis, which must never evict, is not filled by a record of what it did.
 */
export const auditLimits: AuditLimits = { keepMs: 30 * 86_400_000, maxBytes: 256 * 1024 * 1024 };
