/** Charts of uPlot over a table that has the same numbers. */

interface ChartData {
  /** Unix seconds. */
  readonly times: readonly number[];
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
}

type Plot = new (
  options: object,
  data: readonly (readonly (number | null)[])[],
  target: HTMLElement,
) => unknown;

const colours = ["#0969da", "#1a7f37", "#bc4c00", "#8250df", "#cf222e", "#6e7781"];

/** For every element with `data-chart`, the JSON of a `ChartData`. */
export function drawCharts(within: ParentNode): void {
  const { uPlot } = globalThis as { readonly uPlot?: Plot };
  if (uPlot === undefined) return;
  for (const place of within.querySelectorAll<HTMLElement>("[data-chart]")) {
    const { times, series } = JSON.parse(place.dataset["chart"] ?? "") as ChartData;
    if (times.length < 2) continue;
    const text = getComputedStyle(place).color;
    const axis = { stroke: text, grid: { stroke: "rgba(128,128,128,0.25)" } };
    void new uPlot(
      {
        width: Math.max(280, place.clientWidth),
        height: 220,
        axes: [axis, axis],
        series: [
          {},
          ...series.map(({ label }, index) => ({
            label,
            stroke: colours[index % colours.length],
            width: 1.5,
          })),
        ],
      },
      [times, ...series.map(({ values }) => values)],
      place,
    );
  }
}
