import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | null = null;

/**
 * Makes V8 collect its garbage: some 30 ms. By default it waits until the heap has grown by a third, and
 * buffers hardly count. So the remains of one large page would be in memory beside the next.
 */
export function collectGarbage(): void {
  if (collect === null) {
    // The flag only adds the function to contexts that are made from now on.
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
