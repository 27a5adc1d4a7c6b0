import { setTimeout as delay } from "node:timers/promises";
import { atMost, exactly, shown, type Figure } from "../../rig/figures.ts";
import { readCpuMs } from "../stand/process-usage.ts";
import type { Scene } from "./scene.ts";

const maxCoreShare = 0.01;

/** The live stream of a page, read as a browser reads it. */
async function openTab(
  url: string,
  path: string,
  ended: AbortSignal,
): Promise<{ readonly events: () => number }> {
  const answer = await fetch(`${url}/live${path}`, { signal: ended });
  if (!answer.ok || answer.body === null) throw new Error(`the stream of ${path} answered ${answer.status}`);
  let events = 0;
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body!) {
      events += decoder.decode(chunk as Uint8Array, { stream: true }).split("event: sections").length - 1;
    }
  })().catch(() => undefined);
  return { events: () => events };
}

interface Use {
  readonly cpuMs: number;
  readonly calls: number;
  readonly tookMs: number;
}

async function useOver(scene: Scene, ms: number): Promise<Use> {
  const pid = scene.stack.daemons[0]!.pid() ?? 0;
  const from = { cpuMs: readCpuMs(pid), calls: await scene.serviceCalls(), at: performance.now() };
  await delay(ms);
  const tookMs = performance.now() - from.at;
  return { cpuMs: readCpuMs(pid) - from.cpuMs, calls: (await scene.serviceCalls()) - from.calls, tookMs };
}

/** The same daemon without a tab before and after: its own work differs from minute to minute. */
export async function weighTabs(
  scene: Scene,
  { paths, ms }: { readonly paths: readonly string[]; readonly ms: number },
): Promise<readonly Figure[]> {
  await scene.untilQuiet();
  const before = await useOver(scene, ms);
  const ended = new AbortController();
  const tabs = await Promise.all(paths.map((path) => openTab(scene.url, path, ended.signal)));
  // What every tab gets first.
  await delay(3_000);
  const withTabs = await useOver(scene, ms);
  const isEachLive = tabs.every(({ events }) => events() > 0);
  ended.abort();
  await delay(1_000);
  const after = await useOver(scene, ms);
  const idle = (share(before) + share(after)) / 2;
  return [
    shown(
      "the daemon without them, before and after, % of a core",
      `${percent(share(before))}, ${percent(share(after))}`,
    ),
    shown("the daemon with them, % of a core", String(percent(share(withTabs)))),
    atMost("they cost, % of a core", percent(share(withTabs) - idle), percent(maxCoreShare)),
    exactly("service calls with them", withTabs.calls, 0),
    exactly("tabs that got their sections", isEachLive ? tabs.length : 0, paths.length),
  ];
}

function share({ cpuMs, tookMs }: Use): number {
  return cpuMs / tookMs;
}

function percent(part: number): number {
  return Number((part * 100).toFixed(2));
}
