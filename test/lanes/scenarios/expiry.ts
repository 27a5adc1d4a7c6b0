/** Dead letters of a dead receiver near the end of their retention: the service's clock is moved there. */
import { readArchivedIds } from "../../rig/archived-ids.ts";
import { atMost, exactly, shown, type Figure } from "../../rig/figures.ts";
import { idOf, idsOf, toRecords } from "../../rig/letters.ts";
import { startStage } from "../stage.ts";
import { hourMs, minuteMs } from "../time-scale.ts";
import { isSoon } from "../../rig/wait.ts";
import type { World } from "../world.ts";

const count = 300;
const retentionMs = 72 * hourMs;

export async function expiry(world: World): Promise<readonly Figure[]> {
  const { scale } = world;
  const stage = await startStage(world, {
    name: "expiry",
    retentionMs,
    drain: { attempts: { max: 1, waitMs: [2 * minuteMs] }, censusMs: 5 * minuteMs, fullMs: 10 * minuteMs },
  });
  try {
    const { emulator, receiver, archiveDir } = stage;
    await receiver.behave({ manner: "refusing" });
    const { now } = await emulator.state();
    // Their last 12 h, in which they are copied, begin in 20 to 40 minutes by the service's clock.
    const batch = {
      name: "letter",
      count,
      url: receiver.url,
      agoMs: [60 * hourMs - hourMs / 3, 60 * hourMs - (2 * hourMs) / 3] as const,
    };
    const records = toRecords(batch, now);
    await emulator.seed(records);
    await stage.startDaemons();
    const accepted = async (): Promise<number> => (await emulator.journal("accepted")).length;
    if (!(await isSoon(async () => (await accepted()) > 0, 60_000))) throw new Error("nothing was published");
    const tried = await isSoon(
      async () => (await emulator.state()).pending === 0 && (await accepted()) >= 5,
      scale.here(3 * minuteMs) + 5_000,
    );
    const early = readArchivedIds(archiveDir).copied.size;

    await emulator.control("POST", "/clock", { advanceMs: hourMs });
    const idOfRecord = new Map(records.map(({ dlqId, body }) => [String(dlqId), idOf(String(body))]));
    const copies = (): ReadonlySet<string> =>
      new Set([...readArchivedIds(archiveDir).copied].flatMap((dlqId) => idOfRecord.get(dlqId) ?? []));
    // What was a canary is a newer dead letter now, and expires days later.
    const inDlq = async (): Promise<ReadonlySet<string>> =>
      new Set([...(await emulator.list()).values()].map(idOf));
    const originals = async (): Promise<readonly string[]> =>
      [...(await emulator.list()).keys()].flatMap((dlqId) => idOfRecord.get(dlqId) ?? []);
    await isSoon(
      async () => {
        const kept = copies();
        return (await originals()).every((id) => kept.has(id));
      },
      90_000,
      1_000,
    );
    const [kept, waiting] = [copies(), await originals()];
    const copied = waiting.filter((id) => kept.has(id)).length;

    await emulator.control("POST", "/clock", { advanceMs: 12 * hourMs });
    const left = await inDlq();
    const gone = idsOf(batch).filter((id) => !left.has(id));
    return [
      shown("canaries were sent and came back first", tried ? "yes" : "no"),
      exactly("copied before the last 12 h", early, 0),
      exactly(`copied 11 h before expiry, of ${waiting.length}`, copied, waiting.length),
      shown("expired from the DLQ", String(gone.length)),
      exactly("expired without a copy", gone.filter((id) => !kept.has(id)).length, 0),
      exactly(
        "neither in the DLQ nor in the archive",
        idsOf(batch).filter((id) => !left.has(id) && !kept.has(id)).length,
        0,
      ),
      atMost("publishes in all", await accepted(), 20),
    ];
  } finally {
    await stage.close();
  }
}
