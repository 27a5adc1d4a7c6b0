export type ScrapedMetrics = ReturnType<typeof parseMetrics>;

interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

export function parseMetrics(text: string) {
  const samples = text.split("\n").flatMap((line) => parseSample(line) ?? []);
  return {
    /** The sum of all series of this name whose labels include these; null when there is none. */
    sum(name: string, labels: Readonly<Record<string, string>> = {}): number | null {
      const wanted = Object.entries(labels);
      const found = samples.filter(
        (sample) =>
          sample.name === name && wanted.every(([label, value]) => sample.labels.get(label) === value),
      );
      return found.length === 0 ? null : found.reduce((total, { value }) => total + value, 0);
    },
  };
}

function parseSample(line: string): Sample | null {
  const [, name, labelText = "", value] = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) return null;
  const labels = [...labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return {
    name,
    labels: new Map(labels.map(([, label = "", text = ""]) => [label, text])),
    value: Number(value),
  };
}
