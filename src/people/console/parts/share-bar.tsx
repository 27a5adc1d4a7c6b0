import type { Html } from "../screen.ts";

/** How much of a whole something is. `label` says the same in words; its colour is the stylesheet's. */
export function ShareBar({
  share,
  label,
  name = "",
}: {
  /** 0 to 1. */
  readonly share: number;
  readonly label: string;
  readonly name?: "good" | "warn" | "bad" | "";
}): Html {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 1_000) / 10;
  return (
    <svg class={`share ${name}`} width="100%" height="6" role="img" aria-label={label}>
      <rect class="whole" width="100%" height="6" rx="3" />
      {percent === 0 ? null : <rect class="part" width={`${Math.max(1, percent)}%`} height="6" rx="3" />}
    </svg>
  );
}
