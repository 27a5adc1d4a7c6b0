import { exactly, shown, type Figure } from "../rig/figures.ts";
import { outcomeOf, type Outcome } from "../rig/outcome.ts";
import type { Stage } from "./stage.ts";

type Witnesses = Pick<Stage, "emulator" | "receivers">;

/** What has become of `ids` by now, by what the emulator and all receivers wrote down. */
export async function outcomeAt(
  { emulator, receivers }: Witnesses,
  ids: readonly string[],
): Promise<Outcome> {
  const arrivals = (await Promise.all(receivers.map((one) => one.arrivals()))).flat();
  return outcomeOf(ids, {
    accepted: await emulator.journal("accepted"),
    deadLettered: await emulator.journal("dead-lettered"),
    deliveries: await emulator.journal("delivery"),
    arrivals,
  });
}

/** Each of `ids` is delivered, and once. */
export async function deliveredOnce(
  witnesses: Witnesses,
  ids: readonly string[],
): Promise<readonly Figure[]> {
  const { delivered, publishedOnce, doubled, redelivered } = await outcomeAt(witnesses, ids);
  return [
    exactly("delivered", delivered, ids.length),
    exactly("published once, come-backs aside", publishedOnce, ids.length),
    exactly("delivered more than once though the service heard each answer", doubled, 0),
    shown("delivered again, because the service had given up an answer", String(redelivered)),
  ];
}
