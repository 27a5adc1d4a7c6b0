import type { Page } from "playwright-core";

/** Shots of a page, one after the other, each with a sentence below. */
export interface Film {
  add(page: Page, words: string): Promise<void>;
  /** As one SVG that moves by itself, and stands at its first shot for who wants no motion. */
  write(): string;
}

const [width, height, captionPx] = [1280, 720, 64];
const secondsPerShot = 4;

export function createFilm(title: string): Film {
  const shots: { readonly image: string; readonly words: string }[] = [];
  return {
    async add(page, words) {
      const session = await page.context().newCDPSession(page);
      // WebP takes a fifth of a PNG, and an SVG in a README may fetch nothing.
      const { data } = await session.send("Page.captureScreenshot", {
        format: "webp",
        quality: 50,
        clip: { x: 0, y: 0, width, height, scale: 0.75 },
      });
      await session.detach();
      shots.push({ image: data, words });
    },
    write() {
      const all = shots.length * secondsPerShot;
      const shown = 100 / shots.length;
      return [
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + captionPx}" role="img">`,
        `<title>${toText(title)}</title>`,
        `<style>g{opacity:0;animation:s ${all}s infinite}g:first-of-type{opacity:1}`,
        `@keyframes s{0%,${shown}%{opacity:1}${shown + 0.01}%,99.99%{opacity:0}100%{opacity:1}}`,
        `@media(prefers-reduced-motion){g{animation:none}}`,
        `text{font:600 24px system-ui,sans-serif;fill:#1b1f24}</style>`,
        `<rect width="100%" height="100%" fill="#f6f8fa"/>`,
        ...shots.map(
          ({ image, words }, index) =>
            `<g style="animation-delay:${index * secondsPerShot - all}s"><image width="${width}" height="${height}" href="data:image/webp;base64,${image}"/><text x="24" y="${height + 42}">${index + 1}. ${toText(words)}</text></g>`,
        ),
        "</svg>\n",
      ].join("\n");
    },
  };
}

function toText(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
