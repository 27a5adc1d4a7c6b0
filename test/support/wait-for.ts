import { vi } from "vitest";

/**
 * vitest's own, with the patience that a busy machine needs: its second is shorter than a stall of two shared
 * cores.
 */
export function waitFor<T>(
  check: () => T | Promise<T>,
  { timeout = 15_000, interval = 20 }: { readonly timeout?: number; readonly interval?: number } = {},
): Promise<T> {
  return vi.waitFor(check, { timeout, interval });
}
