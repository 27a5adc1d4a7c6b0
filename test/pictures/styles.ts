export interface Colours {
  readonly ground: string;
  readonly ink: string;
  readonly grid: string;
  readonly command: string;
}

export const light: Colours = { ground: "#ffffff", ink: "#1f2328", grid: "#e4e8ec", command: "#0969da" };
export const dark: Colours = { ground: "#0d1117", ink: "#e6edf3", grid: "#21262d", command: "#58a6ff" };
