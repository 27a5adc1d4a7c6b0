import { defaultLimits } from "../ledger-stands.ts";
import type { LedgerLimits } from "../../../src/job/contracts/ledger-limits.ts";

/**
 * The built-in numbers, but a tombstone that a run can outlive: above every page and two full passes of 5
 * min.
 */
export const limits: LedgerLimits = { ...defaultLimits, tombstoneMs: 1_200_000 };
