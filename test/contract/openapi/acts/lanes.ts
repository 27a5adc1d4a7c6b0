import { toRecords } from "../../../rig/letters.ts";
import { waitUntil } from "../../../rig/wait.ts";
import type { Stage } from "../stage.ts";

const withinMs = 90_000;

/** The daemon, with canaries that the service calls back about: once through, then with a halt between. */
export async function goByLanes(stage: Stage): Promise<void> {
  const { stack, destinations, run } = stage;
  const receiver = stack.receivers[1]!;
  const url = destinations.tried.replace(/\/hook$/, "");
  const back = destinations.forms.replace(/\/hook$/, "/back");
  const seed = async (name: string): Promise<void> => {
    const { now } = await stack.emulator.state();
    const records = toRecords({ name, count: 20, url }, now);
    await stack.emulator.seed(
      records.map((record) => ({ ...record, callback: back, failureCallback: back })),
    );
  };
  const left = async (name: string): Promise<number> =>
    [...(await stack.emulator.list()).values()].filter((body) => body.includes(`"${name}-`)).length;

  await seed("tried");
  await stack.startDaemons();
  await waitUntil("a lane to open", async () => (await left("tried")) === 0, withinMs);
  await receiver.behave({ manner: "refusing" });
  await seed("halted");
  await waitUntil("a halt", async () => (await run("lanes", "--json")).out.includes('"halted"'), withinMs);
  await receiver.behave({ manner: "up" });
  await waitUntil("its end", async () => (await left("halted")) === 0, withinMs);
  await stack.stopDaemons();
}
