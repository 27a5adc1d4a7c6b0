import type { GuardBook, GuardMemory } from "../../../src/ports/guards.ts";

/** What the guards of this process remember, for as long as it lives. */
export function createMemoryGuardBook(): GuardBook {
  const memories = new Map<string, GuardMemory>();
  return {
    recall: (drain, guards) =>
      Promise.resolve(guards.map((guard) => memories.get(`${drain} ${guard}`) ?? null)),
    record(drain, guard, memory) {
      const kept = memories.get(`${drain} ${guard}`);
      if (kept !== undefined && kept.readAt > memory.readAt) return Promise.resolve(null);
      memories.set(`${drain} ${guard}`, memory);
      return Promise.resolve(kept?.effect ?? "open");
    },
  };
}
