import type { Html } from "../screen.ts";

const height = 20;

/** Bars of counts, oldest first. `label` says the same in words. One path: a page may have a hundred of them. */
export function Sparkline({
  counts,
  label,
  width = 96,
}: Readonly<{ counts: readonly number[]; label: string; width?: number }>): Html {
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      <path d={toPath(counts, width)} />
    </svg>
  );
}

function toPath(counts: readonly number[], width: number): string {
  const most = Math.max(1, ...counts);
  const step = width / Math.max(1, counts.length);
  const wide = round(Math.max(0.5, step > 2 ? step - 1 : step));
  return counts
    .map((count, index) => {
      if (count === 0) return "";
      // One pixel for whatever is not nothing.
      const tall = Math.max(1, Math.round((count / most) * height));
      return `M${round(index * step)} ${height}v-${tall}h${wide}v${tall}z`;
    })
    .join("");
}

function round(size: number): number {
  return Math.round(size * 100) / 100;
}
