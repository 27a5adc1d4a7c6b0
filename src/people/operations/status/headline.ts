/** The one sentence over the page Now, and its colour. Pure: it follows from the verdict and from what needs a person. */
import { toTotals } from "../../read/totals.ts";
import { capitalised, present, toLeft } from "../phrases.ts";
import type { Mood, Need } from "./need.ts";
import type { Status } from "./read.ts";
import { toUnknown } from "./unknown.ts";
import { toBehind, toHeadline, toOtherDocumentText, toRestTexts } from "./verdict.ts";

export function isAllPaused({ drains }: Pick<Status, "drains">): boolean {
  return drains.length > 0 && drains.every(({ paused }) => paused !== null);
}

export interface Headline {
  readonly mood: Mood;
  readonly text: string;
  readonly hint: string;
}

/** Needs that are said before how many wait. */
const toldFirst: ReadonlySet<Need["first"]["kind"]> = new Set(["parked", "rules", "runbook", "of no drain"]);

/** What stands over the page. A part of it that the headline does not say is among the needs. */
export function toNowHeadline(status: Status, needs: readonly Need[]): Headline {
  const { drains, replicas } = status;
  const { waiting, expired } = toTotals(status);
  const isDraining = drains.some(({ outlook }) => outlook.going > 0 && outlook.perSecond !== null);
  const [first] = needs;
  const text = toHeadline(status);
  const unknown = toUnknown(status);
  const isUnreported = status.sources.some(({ deliveries }) => deliveries?.standing === "unreported");
  const free = first === undefined && unknown === "" && !isUnreported ? "Nothing needs a person" : "";
  if (replicas.length === 0) return { mood: "bad", text, hint: "" };
  if (isAllPaused(status)) return { mood: "warn", text, hint: "" };
  if (first?.mood === "bad") return { mood: "bad", text: first.headline, hint: "" };
  const [rest] = toRestTexts(status);
  if (rest !== undefined) return { mood: "warn", text: rest.text, hint: "" };
  if (toOtherDocumentText(status) !== "") return { mood: "warn", text, hint: "" };
  const behind = present(status.sources.map((one) => toBehind(one, status.sources.length === 1)));
  if (isDraining) {
    return { mood: "good", text, hint: toSentences(free, ...behind) };
  }
  if (behind.length > 0) {
    const here = waiting > 0 && `${toLeft(waiting, expired.waiting)} wait in the queue`;
    const next = isUnreported
      ? "the metric redriver_callbacks_total counts what came, and the log has why it was refused"
      : "what waits follows as the service delivers";
    const hint = toSentences(free, next);
    return { mood: "warn", text: present([...behind, here]).join("; "), hint };
  }
  if (first !== undefined && toldFirst.has(first.first.kind)) {
    return { mood: "warn", text: first.headline, hint: "" };
  }
  if (waiting > 0 || unknown !== "") return { mood: "warn", text, hint: "" };
  // `all clear: nothing waits, listed 12s ago`: what is sure, then why.
  const [sure = "", ...why] = text.split(": ");
  return { mood: "calm", text: sure, hint: toSentences(free, why.join(": ")) };
}

function toSentences(...texts: readonly string[]): string {
  return present(texts)
    .map((text) => `${capitalised(text)}.`)
    .join(" ");
}
