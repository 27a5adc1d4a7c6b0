import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { toPlanAndApplySvg } from "../pictures/terminal/plan-and-apply.ts";
import { createRecorder, type TerminalRecording } from "../pictures/terminal/recording.ts";
import { toTerminalSvg } from "../pictures/terminal/terminal-svg.ts";
import { ask } from "../support/ask.ts";
import { hasBrowser, useBrowser } from "../support/browser.ts";
import { codeSpans, documentPages, readDoc, root, tableRows, withoutCode } from "../support/markdown.ts";

const maxPngBytes = 160_000;
const maxSvgBytes = 60_000;

interface Picture {
  readonly page: string;
  readonly alt: string;
  /** From the top. */
  readonly file: string;
}

function picturesOf(page: string): readonly Picture[] {
  return [...withoutCode(readDoc(page)).matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)].map(
    ([, alt = "", link = ""]) => {
      return { page, alt, file: path.join(path.dirname(page), link) };
    },
  );
}

const used = documentPages.flatMap(picturesOf);
const kept = readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(?:svg|png|jpe?g|gif|webp)$/.test(name))
  .map((name) => path.join("docs", name));

describe("the pictures", () => {
  it("are each on a page, and each page's are there", () => {
    expect(kept.length).toBeGreaterThan(8);
    expect([...new Set(used.map(({ file }) => file))].toSorted()).toEqual(kept.toSorted());
  });

  it("are no HTML, which would go unseen here", () => {
    expect(documentPages.filter((page) => /<(?:img|picture)\b/.test(withoutCode(readDoc(page))))).toEqual([]);
  });

  it("say in words what they show", () => {
    expect(used.filter(({ alt }) => alt.split(" ").length < 4)).toEqual([]);
  });

  it("are made by a command of CONTRIBUTING.md", () => {
    const made = tableRows(readDoc("CONTRIBUTING.md"), ["command", "what it does"]).flatMap(
      ([command = "", does = ""]) => {
        return command.startsWith("`npm run pages -- ") ? codeSpans(does) : [];
      },
    );
    expect(kept.filter((file) => !made.includes(file) && !made.includes(path.dirname(file)))).toEqual([]);
  });

  it.each(kept)("%s is small", (file) => {
    const isDrawn = file.endsWith(".svg") && !readDoc(file).includes("<image");
    const max = isDrawn ? maxSvgBytes : maxPngBytes;
    expect(statSync(path.join(root, file)).size).toBeLessThan(max);
  });
});

const svg = readDoc("docs/plan-and-apply.svg");
const recording = JSON.parse(readDoc("docs/plan-and-apply.json")) as TerminalRecording;

describe("the terminal's picture", () => {
  it("is what its recording draws", () => {
    expect(toPlanAndApplySvg(recording)).toBe(svg);
  });

  it("shows commands and flags that there are, and an apply that left nothing", async () => {
    const commands = recording.texts.flatMap(({ text }) => /^\$ redriver (.*)$/.exec(text)?.[1] ?? []);
    expect(commands.map((command) => command.split(" ")[0])).toEqual(["plan", "apply"]);
    for (const command of commands) {
      const [name = "", ...words] = command.replaceAll(/"[^"]*"/g, "x").split(" ");
      const { out } = await ask([name, "--help"]);
      for (const flag of words.filter((word) => word.startsWith("--"))) expect(out).toContain(`${flag} `);
    }
    expect(recording.texts.at(-1)?.text).toMatch(/^payments +60 +60 +60 +0$/);
  });

  it("escapes what it shows", () => {
    const recorder = createRecorder();
    recorder.see(['a <b> & "c" </text>'], 0);
    const drawn = toTerminalSvg(recorder.recording(80, 1_000), { title: "<t>", what: "&" });
    expect(drawn).toContain('>a &lt;b&gt; &amp; "c" &lt;/text&gt;</text>');
    expect(drawn).toContain('<title id="title">&lt;t&gt;</title>');
  });

  it("keeps each text of a row that is written again, but none that no eye would see", () => {
    const recorder = createRecorder();
    recorder.see(["$ x", "1 of 3"], 0);
    recorder.see(["$ x", "2 of 3"], 500);
    recorder.see(["$ x", ""], 900);
    recorder.see(["$ x", "3 of 3"], 901);
    expect(recorder.recording(80, 1_000).texts).toEqual([
      { row: 0, fromMs: 0, toMs: null, text: "$ x" },
      { row: 1, fromMs: 0, toMs: 500, text: "1 of 3" },
      { row: 1, fromMs: 500, toMs: 900, text: "2 of 3" },
      { row: 1, fromMs: 900, toMs: null, text: "3 of 3" },
    ]);
  });
});

describe.skipIf(!hasBrowser)("the terminal's picture in a browser", () => {
  const browser = useBrowser();

  /** Texts that are seen now, from the top. */
  async function seenOf(reducedMotion: "reduce" | "no-preference"): Promise<readonly string[]> {
    const { page } = await browser.open({ reducedMotion });
    await page.goto(`data:image/svg+xml,${encodeURIComponent(svg)}`);
    return page.evaluate<readonly string[]>(
      `[...document.querySelectorAll("text")].filter((one) => getComputedStyle(one).opacity === "1").map((one) => one.textContent)`,
    );
  }

  it("begins with the first command, and shows its end at once to who wants no motion", async () => {
    const last = recording.texts.filter(({ toMs }) => toMs === null).map(({ text }) => text);
    expect(await seenOf("reduce")).toEqual(last);
    expect((await seenOf("no-preference")).length).toBeLessThan(2);
  });
});
