import { plainCase, type Case } from "../stand/case.ts";
import { measure, type Measured } from "../stand/measure.ts";
import type { Stand } from "../stand/scene.ts";

/** What the lines of one run share: each case is measured once, whoever asks for it. */
export type World = ReturnType<typeof createWorld>;

export type Changes = Pick<Case, "contender"> & Partial<Case>;

export function createWorld(
  stand: Stand,
  messages: number,
  common: Partial<Case>,
  say: (line: string) => void,
) {
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
    /** Messages of a deep queue. */
    messages,
    /** Of every case, besides what makes it a case of its own. */
    common,
    measure(changes: Changes): Promise<Measured> {
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
    /** All that was measured so far. */
    measured: (): readonly Measured[] => measured,
  };
}
