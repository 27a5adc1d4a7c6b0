import { plainCase, type Case } from "../stand/case.ts";
import { measure, type Measured } from "../stand/measure.ts";
import type { Stand } from "../stand/scene.ts";

/** What the lines of one run share: each case is measured once, whoever asks for it. */
export interface World {
  readonly stand: Stand;
  /** Messages of a deep queue. */
  readonly messages: number;
  /** Of every case, besides what makes it a case of its own. */
  readonly common: Partial<Case>;
  measure(changes: Changes): Promise<Measured>;
  /** All that was measured so far. */
  measured(): readonly Measured[];
}

export type Changes = Pick<Case, "contender"> & Partial<Case>;

export function createWorld(
  stand: Stand,
  messages: number,
  common: Partial<Case>,
  say: (line: string) => void,
): World {
  const known = new Map<string, Promise<Measured>>();
  const measured: Measured[] = [];
  const measureNew = async (of: Case): Promise<Measured> => {
    say(`  ${of.contender}, ${of.messages} messages, ${of.latencyMs} ms`);
    const one = await measure(stand, of);
    measured.push(one);
    return one;
  };
  return {
    stand,
    messages,
    common,
    measure(changes) {
      const of = {
        ...plainCase,
        messages,
        ...common,
        ...changes,
        env: { ...common.env, ...changes.env },
      };
      const key = JSON.stringify(of);
      const one = known.get(key) ?? measureNew(of);
      known.set(key, one);
      return one;
    },
    measured: () => measured,
  };
}
