import { describe, expect, it } from "vitest";
import { toRecordingText, type Recording } from "../../dev/demo/outage/recording-file.ts";
import { toOutageSvg } from "../pictures/outage-svg.ts";
import { codeBlocks, codeSpans, readDoc, tableRows } from "../support/markdown.ts";

const page = readDoc("docs/lanes.md");
const picture = readDoc("docs/lanes-outage.svg");
const recorded = readDoc("docs/lanes-outage.json");
const recording = JSON.parse(recorded) as Recording;
const [, section = ""] = /^## One outage, from start to end\n([\s\S]*?)^## /m.exec(page) ?? [];
const words = section.replaceAll(/\s+/g, " ");

const { bursts, seconds, backAtS, moves } = recording;
const probes = bursts.filter(({ state, cameBack }) => state === "halted" && cameBack > 0);
const gaps = probes.slice(1).map(({ atS }, index) => atS - (probes[index]?.atS ?? 0));

describe("the picture of an outage", () => {
  it("is what the recording beside it makes", () => {
    expect(toOutageSvg(recording)).toBe(picture);
    expect(toRecordingText(recording)).toBe(recorded);
  });

  it("shows the states that lanes have, and no others", () => {
    const states = tableRows(page, ["state", "lets go", "next"]).flatMap(([state = ""]) => codeSpans(state));
    const shown = [...picture.matchAll(/<rect class="band (\w+)"/g)].map(([, state]) => state);
    expect(new Set(shown)).toEqual(new Set(states));
    for (const state of states) expect(picture).toContain(`>${state}</text>`);
  });

  it("is no wider than a page, and can be read in light and in dark", () => {
    expect(Number(/^<svg [^>]*\bwidth="(\d+)"/.exec(picture)?.[1])).toBeLessThanOrEqual(900);
    expect(picture).toContain("@media (prefers-color-scheme: dark)");
  });

  it("is shown, with the commands that make it", () => {
    expect(section).toContain("](lanes-outage.svg)");
    const commands = codeBlocks(page).find(({ heading }) => heading === "One outage, from start to end");
    expect(commands?.text).toBe("npm run demo -- --outage\nnpm run picture:lanes\n");
    const { scripts } = JSON.parse(readDoc("package.json")) as { readonly scripts: Record<string, string> };
    expect(scripts["picture:lanes"]).toContain("demo --outage --record docs/lanes-outage.json");
  });
});

describe("what is said of that outage", () => {
  it("are the figures of the recording", () => {
    const survivor = bursts.find(({ atS, sent, cameBack }) => atS > backAtS && sent > cameBack);
    const steps = bursts.filter(({ state }) => state === "ramping").map(({ sent }) => sent);
    expect(words).toContain(
      `at 1:${recording.timeScale}, in which one of two hosts is down for ${backAtS} s`,
    );
    expect(words).toContain(`Its ${bursts[0]?.cameBack} canaries come back`);
    expect(words).toContain(
      `${probes.length} probes come back, ${gaps.map((gap) => `${gap.toFixed(1)} s`).join(" and ")} apart`,
    );
    expect(words).toContain(
      `${((survivor?.atS ?? 0) - backAtS).toFixed(1)} s after the receiver is back a probe survives`,
    );
    expect(words).toContain(`then steps of ${steps.join(" and ")} do`);
  });

  it("is what happened: probes further and further apart, the other host drained meanwhile, everything delivered", () => {
    expect(gaps.toSorted((a, b) => a - b)).toEqual(gaps);
    expect(seconds[Math.floor(backAtS)]).toMatchObject({ atOther: 0, state: "halted" });
    expect(moves.at(-1)?.to).toBe("open");
    expect(seconds.at(-1)?.deadLetters).toBe(0);
    const open = seconds.reduce(
      (left, { sent, delivered, cameBack }) => left + sent - delivered - cameBack,
      0,
    );
    expect(open).toBe(0);
  });
});
