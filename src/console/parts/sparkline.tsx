import type { Html } from "../screen.ts";

const width = 96;
const height = 20;

/** Bars of counts, oldest first. `label` says the same in words. */
export function Sparkline({
  counts,
  label,
}: {
  readonly counts: readonly number[];
  readonly label: string;
}): Html {
  const most = Math.max(1, ...counts);
  const step = width / Math.max(1, counts.length);
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      {counts.map((count, index) => {
        // One pixel for whatever is not nothing.
        const tall = count === 0 ? 0 : Math.max(1, Math.round((count / most) * height));
        return <rect x={index * step} y={height - tall} width={Math.max(0.5, step - 1)} height={tall} />;
      })}
    </svg>
  );
}
