export interface Colours {
  readonly ground: string;
  readonly ink: string;
  readonly muted: string;
  readonly grid: string;
  readonly axis: string;
  readonly down: string;
  readonly other: string;
  readonly good: string;
  readonly bad: string;
  /** Of the bands, by the lane's state. */
  readonly states: {
    readonly canary: string;
    readonly halted: string;
    readonly ramping: string;
    readonly open: string;
  };
}

export const light: Colours = {
  ground: "#ffffff",
  ink: "#1f2328",
  muted: "#59636e",
  grid: "#e4e8ec",
  axis: "#9aa4ae",
  down: "#0969da",
  other: "#8250df",
  good: "#1a7f37",
  bad: "#cf222e",
  states: { canary: "#f8e3a1", halted: "#ffd0cc", ramping: "#cdebd4", open: "#93d7a4" },
};

export const dark: Colours = {
  ground: "#0d1117",
  ink: "#e6edf3",
  muted: "#9198a1",
  grid: "#21262d",
  axis: "#59636e",
  down: "#58a6ff",
  other: "#bc8cff",
  good: "#56d364",
  bad: "#ff7b72",
  states: { canary: "#6b5512", halted: "#7a2d2a", ramping: "#1f4d2e", open: "#2a7a43" },
};

/** What depends on light and dark, one rule a line. */
const toRules = (colours: Colours, indent: string): string =>
  [
    `.ground { fill: ${colours.ground}; }`,
    `text { fill: ${colours.ink}; }`,
    `.muted { fill: ${colours.muted}; }`,
    `.grid { stroke: ${colours.grid}; }`,
    `.axis { stroke: ${colours.axis}; }`,
    `.mark { stroke: ${colours.muted}; }`,
    `.down.line { stroke: ${colours.down}; }`,
    `.down.area, text.down { fill: ${colours.down}; }`,
    `.other.line { stroke: ${colours.other}; }`,
    `text.other { fill: ${colours.other}; }`,
    `.good.tick { stroke: ${colours.good}; }`,
    `.good.block, text.good { fill: ${colours.good}; }`,
    `.bad.tick { stroke: ${colours.bad}; }`,
    `.bad.block, text.bad { fill: ${colours.bad}; }`,
    ...Object.entries(colours.states).map(([state, colour]) => `.band.${state} { fill: ${colour}; }`),
  ]
    .map((rule) => `${indent}${rule}\n`)
    .join("");

/** Without variables, which not every viewer of SVG knows. */
export const styles = `text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.title { font-size: 15px; font-weight: 600; }
.name { font-weight: 600; }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
.grid, .axis { stroke-width: 1; }
.mark { stroke-width: 1; stroke-dasharray: 3 3; }
.line { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
.area { opacity: 0.12; }
.tick { fill: none; stroke-width: 2; }
${toRules(light, "")}@media (prefers-color-scheme: dark) {
${toRules(dark, "  ")}}
`;
