import { seededRandom } from "../../dev/emulator/seeded-random.ts";

/** Choices that follow from a seed alone. */
export interface Dice {
  /** A whole number, both ends included. */
  whole(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<Thing>(things: readonly Thing[]): Thing;
  /** By weight, which is above 0. */
  pickWeighted<Thing>(things: readonly (readonly [weight: number, thing: Thing])[]): Thing;
  shuffled<Thing>(things: readonly Thing[]): Thing[];
}

export function createDice(seed: number): Dice {
  const random = seededRandom(seed);
  const whole = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
  return {
    whole,
    chance: (probability) => random() < probability,
    pick: (things) => things[whole(0, things.length - 1)]!,
    pickWeighted(things) {
      let left = random() * things.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, thing] of things) {
        left -= weight;
        if (left < 0) return thing;
      }
      return things.at(-1)![1];
    },
    shuffled(things) {
      const mixed = [...things];
      for (let last = mixed.length - 1; last > 0; last -= 1) {
        const other = whole(0, last);
        [mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!];
      }
      return mixed;
    },
  };
}
