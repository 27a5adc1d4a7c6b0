const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30s`, `1d10h30m` in milliseconds; undefined for anything else. Each unit counts, in any order. */
export function parseDurationMs(text: string): number | undefined {
  if (!/^(?:\d{1,12}[smhd])+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)([smhd])/g)) {
    total += Number(amount) * unitMs[unit!]!;
  }
  return Number.isSafeInteger(total) ? total : undefined;
}
