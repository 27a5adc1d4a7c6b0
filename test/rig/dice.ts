import { seededRandom } from "../../dev/emulator/seeded-random.ts";

/** Choices that follow from a seed alone. */
export type Dice = ReturnType<typeof createDice>;

export function createDice(seed: number) {
  const random = seededRandom(seed);
  const whole = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
  return {
    /** A whole number, both ends included. */
    whole,
    chance: (probability: number): boolean => random() < probability,
    pick: <Thing>(things: readonly Thing[]): Thing => things[whole(0, things.length - 1)]!,
    /** By weight, which is above 0. */
    pickWeighted<Thing>(things: readonly (readonly [weight: number, thing: Thing])[]): Thing {
      let left = random() * things.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, thing] of things) {
        left -= weight;
        if (left < 0) return thing;
      }
      return things.at(-1)![1];
    },
    shuffled<Thing>(things: readonly Thing[]): Thing[] {
      const mixed = [...things];
      for (let last = mixed.length - 1; last > 0; last -= 1) {
        const other = whole(0, last);
        [mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!];
      }
      return mixed;
    },
  };
}
