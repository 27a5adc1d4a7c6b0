import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runHere as ask } from "../support/cli.ts";
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
const unescape = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
const texts = [...svg.matchAll(/<text(?: class="([^"]*)")?[^>]*>([^<]*)<\/text>/g)].map(
  ([, kinds = "", text = ""]) => ({ isGone: kinds.includes("gone"), text: unescape(text) }),
);

it("the terminal's picture shows commands and flags that there are, and an apply that left nothing", async () => {
  const commands = texts.flatMap(({ text }) => /^\$ redriver (.*)$/.exec(text)?.[1] ?? []);
  expect(commands.map((command) => command.split(" ")[0])).toEqual(["plan", "apply"]);
  for (const command of commands) {
    const [name = "", ...words] = command.replaceAll(/"[^"]*"/g, "x").split(" ");
    const { out } = await ask([name, "--help"]);
    for (const flag of words.filter((word) => word.startsWith("--"))) expect(out).toContain(`${flag} `);
  }
  // Without a column for what is left.
  expect(texts.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^payments +60 +60 +60$/));
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
    const last = texts.filter(({ isGone }) => !isGone).map(({ text }) => text);
    expect(await seenOf("reduce")).toEqual(last);
    expect((await seenOf("no-preference")).length).toBeLessThan(2);
  });
});
