/**
 * A terminal as a picture that plays once: each text is shown from its time on, and the rows move up as in a
 * terminal. What is drawn without animation is the end, so a reader who wants no motion sees that, and so does
 * a viewer that knows none.
 */
import type { TerminalRecording } from "./recording.ts";

const shownRows = 30;
const rowPx = 17;
const edgePx = 14;
/** Of a letter at 13 px, in the widest of the fonts. */
const letterPx = 7.83;

const light = { ground: "#ffffff", ink: "#1f2328", grid: "#e4e8ec", command: "#0969da" };
const dark: typeof light = { ground: "#0d1117", ink: "#e6edf3", grid: "#21262d", command: "#58a6ff" };

export function toTerminalSvg(
  { columns, durationMs, texts }: TerminalRecording,
  sight: { readonly title: string; readonly what: string },
): string {
  const width = Math.ceil(columns * letterPx) + 2 * edgePx;
  const height = shownRows * rowPx + 2 * edgePx;
  const lastRow = Math.max(...texts.map(({ row }) => row));
  const toScroll = (row: number): number => Math.max(0, row + 1 - shownRows) * rowPx;
  const moves = texts
    .toSorted((a, b) => a.fromMs - b.fromMs)
    .map(({ row, fromMs }) => ({ fromMs, px: toScroll(row) }))
    .filter((move, index, all) => move.px > Math.max(0, ...all.slice(0, index).map(({ px }) => px)));
  const lines = texts.map(({ row, fromMs, toMs, text }) => {
    const isCommand = text.startsWith("$ ");
    const kinds = [isCommand && "command", toMs !== null && "gone"].filter(Boolean).join(" ");
    const times =
      toMs === null
        ? `animation-delay:${toS(fromMs)}`
        : `animation-delay:${toS(fromMs)};animation-duration:${toS(toMs - fromMs)}`;
    const y = edgePx + row * rowPx + 12;
    return `<text${kinds === "" ? "" : ` class="${kinds}"`} x="${edgePx}" y="${y}" style="${times}">${escapeText(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title what">
<title id="title">${escapeText(sight.title)}</title>
<desc id="what">${escapeText(sight.what)}</desc>
<style>
${toStyles(toScroll(lastRow), moves, durationMs)}</style>
<clipPath id="inside"><rect y="${edgePx}" width="${width}" height="${shownRows * rowPx}"/></clipPath>
<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
<g clip-path="url(#inside)"><g class="rows">
${lines.join("\n")}
</g></g>
</svg>
`;
}

const toS = (ms: number): string => `${(ms / 1_000).toFixed(2)}s`;

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function toStyles(
  endPx: number,
  moves: readonly { readonly fromMs: number; readonly px: number }[],
  durationMs: number,
): string {
  const stops = [{ fromMs: 0, px: 0 }, ...moves].map(
    ({ fromMs, px }) => `${((100 * fromMs) / durationMs).toFixed(2)}% { transform: translateY(-${px}px); }`,
  );
  return `text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
.command { font-weight: 600; }
.gone { opacity: 0; }
.rows { transform: translateY(-${endPx}px); }
${toRules(light, "")}@media (prefers-color-scheme: dark) {
${toRules(dark, "  ")}}
@media (prefers-reduced-motion: no-preference) {
  text { animation: come 1ms step-end backwards; }
  .gone { animation: pass 1s step-end; }
  .rows { animation: move ${toS(durationMs)} step-end; }
}
@keyframes come { from { opacity: 0; } to { opacity: 1; } }
@keyframes pass { from, to { opacity: 1; } }
@keyframes move {
  ${stops.join("\n  ")}
  100% { transform: translateY(-${endPx}px); }
}
`;
}

const toRules = ({ ground, grid, ink, command }: typeof light, indent: string): string =>
  [
    `.ground { fill: ${ground}; stroke: ${grid}; }`,
    `text { fill: ${ink}; }`,
    `text.command { fill: ${command}; }`,
  ]
    .map((rule) => `${indent}${rule}\n`)
    .join("");
