import { number } from "../../operations/phrases.ts";
import type { Html } from "../screen.ts";

export interface Share {
  /** 0 to 1. */
  readonly share: number;
  /** Its colour is the stylesheet's. */
  readonly name?: "good" | "warn" | "bad" | "soft" | "";
}

/** How much of a whole something is, or several things side by side. `label` says the same in words. */
export function ShareBar({
  shares,
  label,
  heightPx = 6,
}: Readonly<{ shares: readonly Share[]; label: string; heightPx?: number }>): Html {
  let from = 0;
  return (
    <svg class="share" width="100%" height={heightPx} role="img" aria-label={label}>
      <rect class="whole" width="100%" height={heightPx} rx="3" />
      {shares.map(({ share, name = "" }) => {
        const percent = Math.round(Math.min(1, Math.max(0, share)) * 1_000) / 10;
        if (percent === 0 && share <= 0) return null;
        const x = from;
        from += percent;
        // Whatever is not nothing is seen.
        return (
          <rect
            class={`part ${name}`}
            x={`${Math.min(99, x)}%`}
            width={`${Math.max(1, percent)}%`}
            height={heightPx}
            rx="3"
          />
        );
      })}
    </svg>
  );
}

export function ShareCell({
  count,
  of,
  whole,
  name = "",
  text = number(count),
}: Readonly<{ count: number; of: number; whole: string; name?: Share["name"]; text?: string }>): Html {
  const share = count / Math.max(1, of);
  return (
    <span class="share-cell">
      <span class="count">{text}</span>
      <ShareBar shares={[{ share, name }]} label={`${toPercent(share)} of ${whole}`} />
    </span>
  );
}

export function toPercent(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 1 ? "under 1 %" : `${Math.round(percent)} %`;
}
