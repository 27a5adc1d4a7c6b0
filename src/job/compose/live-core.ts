import { isDeepStrictEqual } from "node:util";
import type { DrainConfig, DrainsDocument } from "../contracts/drains-document.ts";
import { RedriverError } from "../contracts/errors.ts";
import type { DrainName } from "../contracts/ids.ts";
import { buildCore, type Core } from "./build-core.ts";
import type { ProcessParts } from "./build-source.ts";
import { toMemoryUse } from "./memory-budget.ts";

export type LiveCore = ReturnType<typeof createLiveCore>;
export type CoreLease = ReturnType<LiveCore["acquire"]>;
type Generation = ReturnType<typeof toGeneration>;

/**
 * A document is adopted whole or not at all. Unchanged sources keep their runtime. Removed parts end with
 * their last work.
 */
export function createLiveCore(parts: ProcessParts) {
  let inForce = parts.document;
  const documentNow = (): DrainsDocument => inForce;
  let latest = toGeneration(buildCore(parts, inForce, null, documentNow));
  const alive = new Set([latest]);

  function retire(generation: Generation): void {
    if (generation === latest || generation.holders > 0 || !alive.delete(generation)) return;
    const used = new Set([...alive].flatMap(({ core }) => [...core.sources.values()]));
    const { archive } = generation.core;
    if (![...alive].some(({ core }) => core.archive === archive)) archive?.close().catch(() => undefined);
    for (const source of generation.core.sources.values()) {
      if (used.has(source)) continue;
      const { config, health } = source.runtime;
      const successor = latest.core.sources.get(config.id)?.runtime.health.standing();
      // Its successor is usable and was never halted, so it has never reported a resume.
      if (health.standing().state === "halted" && successor?.state !== "halted") {
        parts.events.emit({ type: "source:resumed", source: config.id });
      }
      source.close().catch(() => undefined);
    }
  }

  return {
    current: (): Core => latest.core,
    memoryUse: () => toMemoryUse(parts.memory.budget),
    /** Throws `settings-invalid` with what the document lacks, and nothing has changed. */
    adopt(document: DrainsDocument): void {
      const core = buildCore(parts, document, latest.core, documentNow);
      const before = [...alive];
      inForce = document;
      latest = toGeneration(core);
      alive.add(latest);
      for (const generation of before) {
        supersede(generation, document);
        retire(generation);
      }
    },
    /** A core for one piece of work. Its sources live until its release, also under another document. */
    acquire() {
      const generation = latest;
      let held = true;
      generation.holders += 1;
      return {
        core: generation.core,
        /** Aborts when another document has changed or removed this drain: finish the page, then stop. */
        superseded: (drain: DrainName): AbortSignal =>
          generation.superseded.get(drain)?.signal ?? new AbortController().signal,
        release(): void {
          if (!held) return;
          held = false;
          generation.holders -= 1;
          retire(generation);
        },
      };
    },
  };
}

function toGeneration(core: Core) {
  return {
    core,
    superseded: new Map([...core.drains.keys()].map((name) => [name, new AbortController()])),
    holders: 0,
  };
}

function supersede({ core, superseded }: Generation, by: DrainsDocument): void {
  for (const [name, controller] of superseded) {
    const now = by.drains.find((drain) => drain.name === name);
    const then = core.document.drains.find((drain) => drain.name === name);
    if (now !== undefined && then !== undefined && isSameDrain(now, then)) continue;
    controller.abort(new RedriverError("stopped", `the drains document changed drain ${name}`));
  }
}

/** By meaning: two compilations of one text are equal but for their functions. */
function isSameDrain(one: DrainConfig, other: DrainConfig): boolean {
  return isDeepStrictEqual({ ...one, route: null, tests: null }, { ...other, route: null, tests: null });
}
